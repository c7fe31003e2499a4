// SPDX-License-Identifier: BSD-3-Clause
/// \file  Adaptive rate of polls for MPI progress.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace seiche {

/// Controls the interval between polls. A poll that makes progress takes longer than an idle one. Such polls reduce the
/// interval, idle polls increase it. Idle polls take a few per cent of the time at most.
class PollRate {
 public:
  using Clock = std::chrono::steady_clock;

  bool due() const { return Clock::now() >= next_; }

  /// Calls poll() and sets the time of the next poll.
  template <class Poll>
  void run(const Poll& poll) {
    const auto start = Clock::now();
    poll();
    const auto end = Clock::now();
    const double cost = std::chrono::duration<double>(end - start).count();
    idle_ = std::min(cost, idle_ * forget);
    const bool moved = cost > moving * idle_;
    interval_ = std::clamp(interval_ * (moved ? sooner : later), shortest * idle_, longest * idle_);
    next_ = end + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_));
    ++polls_;
    moves_ += moved ? 1 : 0;
  }

  std::int64_t polls() const { return polls_; }
  std::int64_t moves() const { return moves_; }  ///< number of polls that made progress

 private:
  static constexpr double forget = 1.02;  // allows the cost of an idle poll to increase again
  static constexpr double moving = 2;     // relative to the cost of an idle poll
  static constexpr double shortest = 30,
                          longest = 300;  // relative to the cost of an idle poll: 3 % to 0.3 % of the time
  static constexpr double sooner = 0.7, later = 1.2;

  double idle_ = 1e-6, interval_ = 1e-4;
  Clock::time_point next_{};
  std::int64_t polls_ = 0, moves_ = 0;
};

}  // namespace seiche
