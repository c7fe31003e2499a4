// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays in the memory of the CUDA device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/cuda.hpp"

namespace seiche::testing {

inline Device& device() { return cuda_device(); }

inline bool emulated_device() { return device().name().find("emulated") != std::string::npos; }

/// Array in device memory. Copies wait until they are complete.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size), data_(static_cast<T*>(device().allocate(size * sizeof(T)))) {}
  DeviceArray(DeviceStream& stream, const std::vector<T>& values) : DeviceArray(values.size()) {
    stream.copy(values.data(), data_, values.size() * sizeof(T));
    stream.record()->wait();
  }
  DeviceArray(DeviceArray&& other) noexcept : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&&) = delete;
  ~DeviceArray() {
    if (data_) device().free(data_);
  }

  T* data() const { return data_; }
  std::vector<T> values(DeviceStream& stream) const {
    std::vector<T> copy(size_);
    stream.copy(data_, copy.data(), size_ * sizeof(T));
    stream.record()->wait();
    return copy;
  }

 private:
  std::size_t size_;
  T* data_;
};

}  // namespace seiche::testing
