// SPDX-License-Identifier: BSD-3-Clause
/// \file  The frame of started calls: their errors, their progress and their end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "comm/agree.hpp"
#include "seiche/pending.hpp"

namespace seiche {

/// A started call. It keeps an error of its start for finish(), which throws it on all ranks. The destructor is
/// collective if finish() was not called. Derived classes own the data of the call, which their members free.
class StartedCall {
 public:
  virtual ~StartedCall() = default;
  StartedCall() = default;
  StartedCall(const StartedCall&) = delete;
  StartedCall& operator=(const StartedCall&) = delete;

  /// Local. Returns true if finish() would not wait.
  bool progress() { return fault_ || advance(); }
  /// Collective. Completes the call.
  void finish();

 protected:
  /// Collective. Calls `begin` and keeps its error. \pre `begin` throws on all ranks or on none
  template <class Begin>
  void start(const Begin& begin) {
    fault_ = fault_of(begin);
  }
  /// Lets finish() check that the caller has not changed an input in host memory. Only builds with SEICHE_CHECKS check
  /// it. All ranks call it, or none.
  void watch(const Communicator& comm, std::span<const std::byte> input);
  /// Same for an input that the call may overwrite. Then it is not checked.
  template <class In, class Out>
  void watch(const Communicator& comm, std::span<const In> in, std::span<Out> out) {
    const auto read = std::as_bytes(in);
    const auto written = std::as_bytes(out);
    const bool apart = read.data() + read.size() <= written.data() || written.data() + written.size() <= read.data();
    watch(comm, apart ? read : std::span<const std::byte>());
  }

 private:
  virtual bool advance() = 0;   ///< progress() of a call without an error
  virtual void complete() = 0;  ///< finish() of a call without an error
  std::optional<Error> fault_;
#ifdef SEICHE_CHECKS
  struct Watched {
    std::span<const std::byte> array;
    std::uint64_t digest = 0;
  };
  std::optional<Communicator> comm_;
  std::array<Watched, 2> watched_{};  // calls have at most two inputs
  std::size_t count_ = 0;
#endif
};

/// Collective. Creates a call, calls start(call), and returns the call.
template <class Call, class Start, class... Arguments>
Pending started(const Communicator& comm, const Start& start, Arguments&&... arguments) {
  constexpr std::size_t reserved = 1536;  // the memory reserve has room for smaller calls
  const auto make = [&] { return std::make_unique<Call>(std::forward<Arguments>(arguments)...); };
  auto call = sizeof(Call) > reserved ? made_together(comm, make) : make();
  start(*call);
  return Pending(std::move(call));
}

}  // namespace seiche
