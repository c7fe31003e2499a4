// SPDX-License-Identifier: BSD-3-Clause
/// \file  A thread that polls during computation.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "device/cuda.hpp"

namespace seiche {

/// Calls poll() repeatedly while it is on. Code that accesses the same data must hold the lock, so that two threads
/// never call MPI at the same time.
class ProgressThread {
 public:
  explicit ProgressThread(std::function<void()> poll) : poll_(std::move(poll)), thread_([this] { loop(); }) {}
  ~ProgressThread() {
    set(State::ended);
    thread_.join();
  }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  void on() { set(State::on); }
  void off() { set(State::off); }
  std::unique_lock<std::shared_mutex> lock() { return std::unique_lock(mutex_); }
  /// Prevents polls during the lifetime of the result. Several threads may hold it at the same time.
  std::shared_lock<std::shared_mutex> pause() { return std::shared_lock(mutex_); }

 private:
  enum class State { off, on, ended };

  void set(State state) {
    {
      const std::scoped_lock held(mutex_);
      state_ = state;
    }
    changed_.notify_one();
  }
  void loop() {
    // Sleeps between polls: with as many ranks as cores, spinning would take time from computing threads.
    constexpr auto pause = std::chrono::microseconds(50);
    use_cuda_device_here();
    std::unique_lock held(mutex_);
    while (state_ != State::ended) {
      if (state_ == State::off) {
        changed_.wait(held);
        continue;
      }
      poll_();
      changed_.wait_for(held, pause);
    }
  }

  std::function<void()> poll_;
  std::shared_mutex mutex_;
  std::condition_variable_any changed_;
  State state_ = State::off;
  std::thread thread_;
};

}  // namespace seiche
