// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tunes the work share of the thread that calls MPI, by trials.
#pragma once

#include <algorithm>

namespace seiche {

/// Keeps the best share so far and tries another one at intervals. It first tries a smaller share if threads waited for
/// blocks; if that is not faster, it tries a larger one next. All ranks must pass the same rates, so that they choose
/// alike.
class ThreadShareTuner {
 public:
  /// Starts with the best share of earlier runs.
  void begin_with(double share) { kept_ = std::clamp(share, 0.1, 1.0); }

  /// Returns the share for the next product; 1 is the share of the other threads.
  double next() const { return tries_ ? trial() : kept_; }

  /// \param rate of the last product, in operations per second \param waited whether a rank waited for blocks
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
  static constexpr double step = 0.8;         ///< factor between shares
  static constexpr double better = 1.02;      ///< required gain of a trial; smaller differences are noise
  static constexpr double memory = 0.3;       ///< weight of the last product in the rate
  static constexpr int pause = 4, first = 2;  ///< products between trials, and before the first one

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
