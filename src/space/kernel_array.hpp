// SPDX-License-Identifier: BSD-3-Clause
/// \file  Access of kernels to an array of the caller.
#pragma once

#include <span>

#include "space/memory.hpp"
#include "space/queue.hpp"

namespace seiche {

/// An array for kernels: the caller's array if kernels can access it, or a copy in device memory. The destructor waits
/// for all kernels.
template <class T>
class KernelArray {
 public:
  KernelArray(const Queue& queue, std::span<T> callers)
      : queue_(queue),
        callers_(callers),
        in_place_(queue.reaches(callers.data())),
        copy_(in_place_ ? Memory() : Memory(callers.size_bytes(), Fresh::raw, queue.space())) {
    queue_.follow_caller();
    if (!in_place_) queue_.copy(callers_.data(), copy_.data(), callers_.size_bytes());
  }
  ~KernelArray() { queue_.drain(); }
  KernelArray(const KernelArray&) = delete;
  KernelArray& operator=(const KernelArray&) = delete;

  T* data() const { return in_place_ ? callers_.data() : reinterpret_cast<T*>(copy_.data()); }
  /// Copies the values back to the caller's array, and waits for them.
  void take_back() const {
    if (!in_place_) queue_.copy(copy_.data(), callers_.data(), callers_.size_bytes()).wait();
  }

 private:
  Queue queue_;
  std::span<T> callers_;
  bool in_place_;
  Memory copy_;
};

}  // namespace seiche
