// SPDX-License-Identifier: BSD-3-Clause
/// \file  Detects that the caller changed an input of a started call before finish(). Only builds with SEICHE_CHECKS
/// do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "seiche/communicator.hpp"

namespace seiche {

/// Arrays that a started call reads.
class Inputs {
 public:
#ifdef SEICHE_CHECKS
  /// Remembers the content of an array in host memory. All ranks call it, or none.
  void watch(const Communicator& comm, std::span<const std::byte> array);
  /// Collective. \throws Error on all ranks if the content of an array has changed on one
  void require_unchanged() const;

 private:
  std::optional<Communicator> comm_;
  struct Watched {
    std::span<const std::byte> array;
    std::uint64_t digest = 0;
  };
  std::array<Watched, 2> watched_{};  // calls have at most two inputs
  std::size_t count_ = 0;
#else
  void watch(const Communicator&, std::span<const std::byte>) {}
  void require_unchanged() const {}
#endif
};

/// Returns the bytes of an input, or none if the call writes to the same memory.
template <class In, class Out>
std::span<const std::byte> input_bytes(std::span<const In> in, std::span<Out> out) {
  const auto read = std::as_bytes(in);
  const auto written = std::as_bytes(out);
  const bool apart = read.data() + read.size() <= written.data() || written.data() + written.size() <= read.data();
  return apart ? read : std::span<const std::byte>();
}

}  // namespace seiche
