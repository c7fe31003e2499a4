// SPDX-License-Identifier: BSD-3-Clause
/// \file  Access of kernels to an array of the caller.
#pragma once

#include <span>

#include "space/memory.hpp"
#include "space/queue.hpp"

namespace seiche {

/// An array for kernels: the caller's array on the host, or a copy in device memory. The destructor waits for all
/// kernels.
template <class T>
class KernelArray {
 public:
  KernelArray(const Queue& queue, std::span<T> callers)
      : queue_(queue),
        callers_(callers),
        copy_(queue.on_host() ? Memory() : Memory(callers.size_bytes(), Fresh::raw, queue.space())) {
    if (!queue_.on_host()) queue_.copy(callers_.data(), copy_.data(), callers_.size_bytes());
  }
  ~KernelArray() { queue_.drain(); }
  KernelArray(const KernelArray&) = delete;
  KernelArray& operator=(const KernelArray&) = delete;

  T* data() const { return queue_.on_host() ? callers_.data() : reinterpret_cast<T*>(copy_.data()); }
  /// Copies the values back to the caller's array.
  void take_back() const {
    if (!queue_.on_host()) queue_.copy(copy_.data(), callers_.data(), callers_.size_bytes()).wait();
  }

 private:
  Queue queue_;
  std::span<T> callers_;
  Memory copy_;
};

}  // namespace seiche
