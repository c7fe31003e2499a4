// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of a rank, private or shared with its node.
#pragma once

#include <cstddef>
#include <memory>

#include "seiche/space.hpp"
#include "space/shared_window.hpp"

namespace seiche {

/// Initial state of new memory.
enum class Fresh {
  zero,  ///< zeroed, with all pages allocated
  raw    ///< uninitialised; pages are allocated at first use
};

/// Allocates memory of the CUDA device.
std::shared_ptr<std::byte> cuda_memory(std::size_t bytes, Fresh fresh);

/// Memory of one rank, aligned to cache lines. Copies refer to the same memory, which is freed with the last copy. Only
/// kernels of a queue may access device memory.
class Memory {
 public:
  Memory() = default;
  /// Allocates memory of this rank only.
  Memory(std::size_t bytes, Fresh fresh, Space space = Space::host);
  /// Refers to this rank's part of a section of shared memory.
  Memory(std::shared_ptr<const SharedWindow> window, std::size_t section);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  Space space() const { return space_; }
  void clear() const;  ///< \pre host memory
  /// Returns host memory that CUDA devices access. It is registered until the last copy is gone. \throws Error if
  /// registration fails
  Memory pinned() const;

  bool shared() const { return window_ != nullptr; }
  const SharedWindow& window() const { return *window_; }
  /// Returns the part of another rank. \pre shared()
  std::byte* of(std::size_t rank) const { return window_->part(section_, rank); }

 private:
  std::shared_ptr<std::byte> own_;
  std::shared_ptr<void> pin_;  // registration
  std::shared_ptr<const SharedWindow> window_;
  std::size_t section_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Space space_ = Space::host;
};

}  // namespace seiche
