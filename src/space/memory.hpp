// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of a rank, of its own or shared with its node, as a value that plans hold.
#pragma once

#include <cstddef>
#include <memory>

#include "seiche/space.hpp"
#include "space/shared_window.hpp"

namespace seiche {

/// How new memory comes.
enum class Fresh {
  zero,  ///< zero, with its pages in place
  raw    ///< as the system gives it; pages come when they are used
};

/// Memory of one rank, aligned to cache lines. Copies refer to the same memory, which lasts as long as one of them.
/// Only kernels of a queue touch memory of a device.
class Memory {
 public:
  Memory() = default;
  /// Memory of this rank alone.
  Memory(std::size_t bytes, Fresh fresh, Space space = Space::host);
  /// This rank's part of a section of shared memory.
  Memory(std::shared_ptr<const SharedWindow> window, std::size_t section);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  Space space() const { return space_; }
  void clear() const;  ///< \pre host memory

  bool shared() const { return window_ != nullptr; }
  const SharedWindow& window() const { return *window_; }
  /// The part of another rank. \pre shared()
  std::byte* of(std::size_t rank) const { return window_->part(section_, rank); }

 private:
  std::shared_ptr<std::byte> own_;
  std::shared_ptr<const SharedWindow> window_;
  std::size_t section_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Space space_ = Space::host;
};

}  // namespace seiche
