// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory of the CUDA device, for programs that do not use CUDA themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "seiche/cxx20.hpp"

namespace seiche {

/// Memory of the current CUDA device. All functions are local. Copies wait until they are complete.
class DeviceMemory {
 public:
  DeviceMemory() = default;  ///< empty
  /// Allocates uninitialised memory.
  /// \throws Error(unsupported) if there is no device, std::bad_alloc if it has not enough memory
  explicit DeviceMemory(std::size_t bytes);
  /// Refers to device memory of others, such as the values in DeviceBands. Copies run in `stream`, a handle as
  /// FftOptions::stream.
  DeviceMemory(void* data, std::size_t bytes, std::int64_t stream);

  void* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }  ///< bytes
  /// Returns the number of the device, as for cudaSetDevice. All memory of a process is on one device.
  static int device();
  /// Copies `bytes` bytes from host memory. \throws Error if they exceed size()
  void write(const void* from, std::size_t bytes) const;
  /// Copies `bytes` bytes to host memory. \throws Error if they exceed size()
  void read(void* into, std::size_t bytes) const;

 private:
  std::shared_ptr<void> memory_;
  std::size_t size_ = 0;
  std::int64_t stream_ = 0;
};

/// Array in device memory, whose span() plans with Space::cuda accept. Copies refer to the same memory.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit DeviceArray(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}
  /// Refers to device memory of others. Copies run in `stream`, a handle as FftOptions::stream.
  DeviceArray(T* values, std::size_t size, std::int64_t stream)
      : memory_(values, size * sizeof(T), stream), size_(size) {}
  /// Copies an array from host memory.
  explicit DeviceArray(std::span<const T> values) : DeviceArray(values.size()) {
    memory_.write(values.data(), values.size_bytes());
  }
  std::span<T> span() const { return {static_cast<T*>(memory_.data()), size_}; }
  /// Returns a copy in host memory.
  std::vector<T> values() const {
    std::vector<T> all(size_);
    memory_.read(all.data(), size_ * sizeof(T));
    return all;
  }

 private:
  DeviceMemory memory_;
  std::size_t size_;
};

}  // namespace seiche
