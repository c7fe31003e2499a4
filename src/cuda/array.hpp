// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "cuda/current.hpp"
#include "cuda/launch.cuh"

namespace seiche::cuda {

/// Allocates device memory, at least one byte. \throws std::bad_alloc
inline void* allocate(std::size_t bytes) {
  const Current current;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check(error, "cudaMalloc");
  return memory;
}

/// Array of kernels. \pre no kernel uses the array when it is destroyed
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : data_(static_cast<T*>(allocate(size * sizeof(T)))), size_(size) {}
  /// Copies values to the device.
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    if (values.empty()) return;
    const Current current;
    check(cudaMemcpyAsync(data_, values.data(), bytes(), cudaMemcpyDefault, cudaStreamPerThread), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() {
    if (data_) cudaFree(data_);
  }

  T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace seiche::cuda
