// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory shared by the ranks of one node.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/handle.hpp"
#include "seiche/communicator.hpp"
#include "support/memory.hpp"

namespace seiche {

/// Counter of a rank, on its own cache lines.
struct alignas(2 * cache_line) Turn {
  std::atomic<std::int64_t> count{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Two sections of shared memory, and sets of counters. In the first section the parts of all ranks are contiguous, so
/// that equal strides cover all of them. Rank 0 allocates the memory.
class SharedWindow {
 public:
  using Sizes = std::array<std::size_t, 2>;

  /// Collective over `comm`, whose ranks share a node. `sizes`: bytes of this rank in each section.
  SharedWindow(const Communicator& comm, const Sizes& sizes, std::size_t turn_sets);

  std::byte* part(std::size_t section, std::size_t rank) const { return parts_[section][rank]; }
  std::byte* mine(std::size_t section) const { return part(section, static_cast<std::size_t>(comm_.rank())); }
  std::size_t size(std::size_t section) const { return sizes_[section]; }  ///< size of this rank's part
  std::size_t turn_sets() const { return turn_sets_; }
  /// Returns the counters of a set, one per rank.
  Turn* turns(std::size_t set) const { return turns_ + set * parts_[0].size(); }

 private:
  std::byte* allocate(std::size_t bytes);

  Communicator comm_;
  WindowHandle window_;
  Sizes sizes_;
  std::array<std::vector<std::byte*>, 2> parts_;
  std::size_t turn_sets_;
  Turn* turns_ = nullptr;
};

}  // namespace seiche
