// SPDX-License-Identifier: BSD-3-Clause
/// \file  The share of the work that is left to the thread which drives MPI, found by trying.
#pragma once

#include <algorithm>

namespace seiche {

/// Keeps the best share so far, and tries another one now and then: first a smaller one, while blocks had to be waited
/// for; where that gave no higher rate, a larger one next time. All ranks must be told the same, and then decide alike.
class ThreadShareTuner {
 public:
  /// With what others found best before.
  void begin_with(double share) { kept_ = std::clamp(share, 0.1, 1.0); }

  /// For the next product; 1 is as much as the other threads have.
  double next() const { return tries_ ? trial() : kept_; }

  /// \param rate of the product just done, in operations per second \param waited some rank waited for blocks
  void learn(double rate, bool waited) {
    if (warming_up_ > 0) {
      --warming_up_;
      return;
    }
    if (tries_) {
      judge(rate);
    } else {
      rate_ = rate_ > 0 ? (1 - memory) * rate_ + memory * rate : rate;
      if (rest_ > 0) --rest_;
    }
    tries_ = rest_ == 0 && (down_ ? waited : kept_ < 1);
    if (rest_ == 0 && !tries_) down_ = !down_;
  }

 private:
  static constexpr double step = 0.8;         ///< from one share to the next
  static constexpr double better = 1.02;      ///< what a trial must gain: less than that is noise
  static constexpr double memory = 0.3;       ///< weight of the last product in the rate
  static constexpr int pause = 4, first = 2;  ///< products between trials, and before the first

  double trial() const { return down_ ? kept_ * step : std::min(1.0, kept_ / step); }
  void judge(double rate) {
    if (rate > better * rate_) {
      kept_ = trial();
      rate_ = rate;
    } else {
      down_ = !down_;
    }
    rest_ = pause;
  }

  double kept_ = 1, rate_ = 0;
  int warming_up_ = 1, rest_ = first;
  bool down_ = true, tries_ = false;
};

}  // namespace seiche
