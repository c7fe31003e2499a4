// SPDX-License-Identifier: BSD-3-Clause
/// \file  A background thread that runs jobs one after another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace seiche {

/// Runs jobs in the order of submission. After an exception the remaining jobs are skipped.
class Worker {
 public:
  Worker() : thread_([this] { work(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      jobs_.clear();
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Adds a job. \return its number, for wait()
  std::int64_t add(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_all();
    return ++given_;
  }

  /// Waits for a job. \throws the exception of this job or an earlier one
  void wait(std::int64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= number; });
    if (fault_) std::rethrow_exception(fault_);
  }

  /// Tells whether wait() would not wait.
  bool done(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    return done_ >= number;
  }

  /// Waits until all jobs are complete or skipped. Never throws.
  void drain() noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= given_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      const bool wanted = !fault_;
      lock.unlock();
      std::exception_ptr fault;
      try {
        if (wanted) job();
      } catch (...) {
        fault = std::current_exception();
      }
      lock.lock();
      if (fault) fault_ = fault;
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::int64_t given_ = 0, done_ = 0;
  std::exception_ptr fault_;
  bool ending_ = false;
  std::thread thread_;  // last member, because it uses the others
};

}  // namespace seiche
