// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory shared by the ranks of one node.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/handle.hpp"
#include "seiche/communicator.hpp"
#include "seiche/space.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

/// Counter of a rank, on its own cache lines.
struct alignas(2 * cache_line) Turn {
  std::atomic<std::int64_t> count{0};
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// Two sections of shared memory, and sets of counters. On the host, rank 0 allocates the memory, and the parts of the
/// first section are contiguous, so that equal strides cover all of them. On a CUDA device each rank allocates its
/// parts, and only the counters are in host memory.
class SharedWindow {
 public:
  using Sizes = std::array<std::size_t, 2>;

  /// Collective over `comm`, whose ranks share a node. `sizes`: bytes of this rank in each section. The memory of a
  /// device is zeroed.
  SharedWindow(const Communicator& comm, const Sizes& sizes, std::size_t turn_sets, Space space = Space::host);

  std::byte* part(std::size_t section, std::size_t rank) const { return parts_[section][rank]; }
  std::byte* mine(std::size_t section) const { return part(section, static_cast<std::size_t>(comm_.rank())); }
  std::size_t size(std::size_t section) const { return sizes_[section]; }  ///< size of this rank's part
  std::size_t turn_sets() const { return turn_sets_; }
  Space space() const { return space_; }
  /// Returns the counters of a set, one per rank.
  Turn* turns(std::size_t set) const { return turns_ + set * static_cast<std::size_t>(comm_.size()); }

 private:
  std::byte* allocate(std::size_t bytes);
  void share_device_memory();

  Communicator comm_;
  std::vector<std::shared_ptr<std::byte>> own_;  // device memory of this rank
  // Members are destroyed in the opposite order: first the mappings, then the window, which waits for all ranks, then
  // the device memory that other ranks had mapped.
  WindowHandle window_;
  std::vector<std::shared_ptr<std::byte>> mapped_;  // device memory of other ranks
  Sizes sizes_;
  std::array<std::vector<std::byte*>, 2> parts_;
  std::size_t turn_sets_;
  Space space_;
  Turn* turns_ = nullptr;
};

}  // namespace seiche
