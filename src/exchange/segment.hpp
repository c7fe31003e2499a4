// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory that the ranks of one node share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/handle.hpp"
#include "seiche/communicator.hpp"
#include "support/memory.hpp"

namespace seiche {

/// How often a rank has come to some point; one per rank, each on lines of its own.
struct alignas(2 * cache_line) Turn {
  std::atomic<std::int64_t> count{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// The memory of both ends of all ranks: all source memories in a row, then all far ones (where they are not lent),
/// then the turns of each part. Rank 0 allocates.
class Segment {
 public:
  /// Collective over `comm`, whose ranks share a node. Sizes are this rank's, in elements of so many bytes.
  Segment(const Communicator& comm, std::int64_t source_size, std::int64_t target_size, std::size_t element,
          bool zero_copy, std::size_t parts);
  /// Whether exchanges of so many parts and elements on this rank find room in it.
  bool holds(std::int64_t source_size, std::int64_t target_size, std::size_t element, std::size_t parts) const;
  /// Sets this rank's memory to zero, which brings its pages close to it.
  void clear() const;

  std::byte* source(std::size_t rank) const { return source_[rank]; }
  std::byte* target(std::size_t rank) const { return target_[rank]; }
  /// One for each rank.
  Turn* turns(std::size_t part) const { return turns_ + part * source_.size(); }

 private:
  std::byte* allocate(std::size_t bytes);

  Communicator comm_;
  WindowHandle window_;
  std::vector<std::byte*> source_, target_;
  std::size_t source_bytes_ = 0, target_bytes_ = 0, parts_ = 0;  // of this rank
  Turn* turns_ = nullptr;
};

}  // namespace seiche
