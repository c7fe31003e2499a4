// SPDX-License-Identifier: BSD-3-Clause
/// \file  A stream: a thread that runs kernels one after another, with random delays.
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

namespace seiche::emulated {

/// Runs kernels in the order of submission. An exception of one kernel does not stop the following ones.
class StreamThread {
 public:
  StreamThread();
  ~StreamThread();  ///< Runs the remaining kernels.
  StreamThread(const StreamThread&) = delete;
  StreamThread& operator=(const StreamThread&) = delete;

  /// Adds a kernel and returns its number, from 1.
  std::int64_t add(std::function<void()> kernel);
  bool done(std::int64_t number) const { return done_.load(std::memory_order_acquire) >= number; }
  /// Tells the same to callers that poll. Waits a short time for the kernel: threads that poll without a pause slow
  /// down changes of memory protection.
  bool done_soon(std::int64_t number);
  /// Waits for a kernel. Throws the first exception of this kernel or earlier ones that has not been thrown yet.
  void wait(std::int64_t number);

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
  std::thread thread_;  // last member, because it uses the others
};

}  // namespace seiche::emulated
