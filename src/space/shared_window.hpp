// SPDX-License-Identifier: BSD-3-Clause
/// \file  A window of memory that the ranks of one node share.
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

/// How often a rank has come to some point; one per rank, each on cache lines of its own.
struct alignas(2 * cache_line) Turn {
  std::atomic<std::int64_t> count{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Two sections of memory, in each of which the parts of all ranks lie one after another without gaps in the first, so
/// that equal strides run through all of them; and sets of turns. Rank 0 allocates.
class SharedWindow {
 public:
  using Sizes = std::array<std::size_t, 2>;

  /// Collective over `comm`, whose ranks share a node. `sizes`: bytes of this rank in each section.
  SharedWindow(const Communicator& comm, const Sizes& sizes, std::size_t turn_sets);

  std::byte* part(std::size_t section, std::size_t rank) const { return parts_[section][rank]; }
  std::byte* mine(std::size_t section) const { return part(section, static_cast<std::size_t>(comm_.rank())); }
  std::size_t size(std::size_t section) const { return sizes_[section]; }  ///< of this rank
  std::size_t turn_sets() const { return turn_sets_; }
  /// One for each rank.
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
