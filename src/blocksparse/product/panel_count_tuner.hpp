// SPDX-License-Identifier: BSD-3-Clause
/// \file  Chooses between few and many panels by trials.
#pragma once

#include <algorithm>
#include <array>

namespace seiche {

/// Many fine panels hide more of a slow network, few coarse ones have less overhead. The best choice depends on the
/// network and on the number of ranks per core. Trials run in the order fine, coarse, coarse, fine, and again, so that
/// two alternating kinds of products affect both choices equally. The better of two rates counts, in case one was
/// disturbed. The faster choice is kept for some time. All ranks must pass the same rates, so that they choose alike.
class PanelCountTuner {
 public:
  /// Returns whether the next product has coarse panels.
  bool coarse() const { return resolved() ? coarse_ : coarse_in(trial_); }
  /// Returns whether the next product has the same panels as the last ones, so that other tuners may run trials.
  bool resolved() const { return trial_ == trials; }

  /// \param rate of the last product, in operations per second
  void learn(double rate) {
    if (warming_up_ > 0) {
      --warming_up_;
    } else if (!resolved()) {
      double& best = rates_[coarse()][static_cast<std::size_t>(trial_ % 2)];
      best = std::max(best, rate);
      if (++trial_ == trials) choose();
    } else if (--rest_ == 0) {
      trial_ = 0;
      rates_ = {};
    }
  }

 private:
  static constexpr int trials = 8, pause = 64;
  static constexpr double better = 1.03;  ///< required gain; smaller differences are noise

  static bool coarse_in(int trial) { return trial % 4 == 1 || trial % 4 == 2; }
  double rate_of(bool coarse) const { return rates_[coarse][0] + rates_[coarse][1]; }
  void choose() {
    rest_ = pause;
    if (rate_of(!coarse_) > better * rate_of(coarse_)) coarse_ = !coarse_;
  }

  bool coarse_ = false;
  std::array<std::array<double, 2>, 2> rates_{};  // of fine and coarse ones, of even and odd trials
  int trial_ = 0, warming_up_ = 1, rest_ = 0;
};

}  // namespace seiche
