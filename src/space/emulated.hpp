// SPDX-License-Identifier: BSD-3-Clause
/// \file  The emulated device: a thread that runs kernels one after another, each after a delay.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace seiche {

/// Runs kernels in the order in which they were given. A kernel that throws does not stop those after it.
class EmulatedDevice {
 public:
  EmulatedDevice();
  ~EmulatedDevice();  ///< Runs what is left.
  EmulatedDevice(const EmulatedDevice&) = delete;
  EmulatedDevice& operator=(const EmulatedDevice&) = delete;

  /// Returns the kernel's number. Kernels are numbered from 1.
  std::int64_t add(std::function<void()> kernel);
  bool done(std::int64_t number) const { return done_.load(std::memory_order_acquire) >= number; }
  /// Waits for a kernel. Throws the first fault of this kernel and those before it, if nobody has thrown it yet.
  void wait(std::int64_t number);
  void drain() noexcept;  ///< Waits for all kernels. Faults are kept.

 private:
  struct Fault {
    std::int64_t kernel;
    std::exception_ptr thrown;
  };
  void work();
  void delay();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> kernels_;
  std::deque<Fault> faults_;
  std::int64_t given_ = 0;
  std::atomic<std::int64_t> done_{0};
  bool ending_ = false;
  std::minstd_rand random_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace seiche
