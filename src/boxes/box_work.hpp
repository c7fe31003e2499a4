// SPDX-License-Identifier: BSD-3-Clause
/// \file  Buffers and pipeline stages of box exchanges. An item is a group of small fields, or a part of a large field.
/// The elements for another rank are contiguous in a buffer: [field][piece][z][y][x].
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "boxes/box_pieces.hpp"
#include "exchange/exchange_interface.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/boxes.hpp"
#include "space/copy_patch.hpp"

namespace seiche {

/// Sizes of the buffers.
struct BoxSizes {
  std::size_t element = 8;  ///< bytes of a value
  std::int64_t fields = 1;  ///< fields of an item
  int parts = 1;            ///< parts of a field, each of which is an item; 1 if items have several fields
  int slots = 1;            ///< items in flight
  friend bool operator==(const BoxSizes&, const BoxSizes&) = default;
};

/// Arguments of a call. Only the array at the end that is written is changed.
struct BoxCall {
  std::span<std::byte> source, target;
  std::int64_t fields = 1;
  std::size_t element = 8;  ///< bytes of a value
  bool single = false;      ///< values consist of floats, else of doubles
  bool adds = false;        ///< adds from the target to the source; else copies from the source to the target
};

/// Returns the arguments of a call with values of type T.
template <class T>
BoxCall box_call(std::span<const T> source, std::span<const T> target, std::int64_t fields, bool adds) {
  const auto bytes = [](std::span<const T> values) {
    return std::span(reinterpret_cast<std::byte*>(const_cast<T*>(values.data())), values.size_bytes());
  };
  constexpr bool single = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>;
  return {bytes(source), bytes(target), fields, sizeof(T), single, adds};
}

/// Data of one call in flight.
class BoxWork {
 public:
  /// Collective.
  BoxWork(const Communicator& comm, const BoxPieces& pieces, const Policy& policy, const BoxSizes& sizes,
          const Queue& queue);
  BoxWork(const BoxWork&) = delete;
  BoxWork& operator=(const BoxWork&) = delete;

  /// Collective. Runs the steps of a call before the first one that waits for an exchange. Kernels of the queue can
  /// access both arrays.
  Pipeline::Run begin(const BoxCall& call, ProgressReport& account);

  const BoxSizes& sizes() const { return sizes_; }
  const Policy& policy() const { return policy_; }
  std::size_t bytes() const { return bytes_; }
  std::string_view messages() const { return messages_; }  ///< see BoxReport

 private:
  std::vector<Stage> stages_of_copy();
  std::vector<Stage> stages_of_add();
  Exchange& exchange(int slot) const { return *exchanges_[static_cast<std::size_t>(slot)]; }
  std::int64_t items() const;
  Range fields_of(std::int64_t item) const;
  Range part_of(const PiecesOfPair& pair, std::int64_t item) const;
  void copy(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
            Write mode = Write::cached) const;
  void pack_source(std::int64_t item, int slot);
  void copy_own(std::int64_t item);
  void unpack_target(std::int64_t item, int slot);
  void pack_target(std::int64_t item, int slot);
  void add_to_source(std::int64_t item, int slot);
  template <class Visit>
  void each_sent(const PiecesOfPair& pair, std::int64_t item, std::byte* array, std::byte* message, const Visit& visit);
  template <class Visit>
  void each_own(std::int64_t item, const Visit& visit);

  Communicator comm_;
  const BoxPieces& pieces_;
  Policy policy_;
  BoxSizes sizes_;
  Queue queue_;
  std::int64_t written_;                    // elements of a field that a copy writes on this rank
  std::vector<std::int64_t> source_begin_;  // first element for each rank in the buffer at the source
  ExchangeMemory memory_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;  // [slot]
  std::size_t bytes_ = 0;
  std::string_view messages_;
  BoxCall call_;
  Write mode_ = Write::cached;  // how a copy writes the target
  Pipeline pipeline_;
  std::vector<Stage> copy_, add_;
};

/// Returns the name of calls in the tuning file. `element`: bytes of a value.
std::string work_of(const BoxExchange& exchange, std::int64_t fields, std::size_t element);

/// Collective. Runs a call on the host whose arguments all ranks have checked.
void run_agreed(const BoxExchange& exchange, const BoxCall& call);

}  // namespace seiche
