// SPDX-License-Identifier: BSD-3-Clause
/// \file  When to give MPI a chance to progress: a rate that follows what polls cost and what they achieve.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace seiche {

/// A poll that moves bytes takes longer than one that finds nothing. Polls that move come sooner after each other, idle
/// ones later, and idle polls never take more than a few per cent of the time.
class PollRate {
 public:
  using Clock = std::chrono::steady_clock;

  bool due() const { return Clock::now() >= next_; }

  /// Calls poll() and sets the time of the next.
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
  std::int64_t moves() const { return moves_; }  ///< polls that moved something

 private:
  static constexpr double forget = 1.02;                 // the cost of an idle poll may rise again
  static constexpr double moving = 2;                    // in costs of an idle poll
  static constexpr double shortest = 30, longest = 300;  // in costs of an idle poll: 3 % to 0.3 % of the time
  static constexpr double sooner = 0.7, later = 1.2;

  double idle_ = 1e-6, interval_ = 1e-4;
  Clock::time_point next_{};
  std::int64_t polls_ = 0, moves_ = 0;
};

}  // namespace seiche
