// SPDX-License-Identifier: BSD-3-Clause
/// \file  Replaces src/support/worker.hpp in simulations, which have no threads: jobs run when they are submitted, and
/// end after their simulated time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "time.hpp"

namespace seiche {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::int64_t add(const std::function<void()>& job) {
    const simulation::BackgroundJob time(ends_.empty() ? 0 : ends_.back());
    try {
      if (!fault_) job();
    } catch (...) {
      fault_ = std::current_exception();
    }
    ends_.push_back(time.end());
    return static_cast<std::int64_t>(ends_.size());
  }
  void wait(std::int64_t number) {
    if (number > 0) simulation::wait_until(ends_[static_cast<std::size_t>(number - 1)]);
    if (fault_) std::rethrow_exception(fault_);
  }
  bool done(std::int64_t number) const {
    return number <= 0 || ends_[static_cast<std::size_t>(number - 1)] <= simulation::now();
  }
  void drain() noexcept {
    if (!ends_.empty()) simulation::wait_until(ends_.back());
  }

 private:
  std::vector<double> ends_;  // end of each job
  std::exception_ptr fault_;
};

}  // namespace seiche
