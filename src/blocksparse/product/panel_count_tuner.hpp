// SPDX-License-Identifier: BSD-3-Clause
/// \file  Whether a product is cut into few panels or into many, found by trying.
#pragma once

#include <algorithm>
#include <array>

namespace seiche {

/// Many fine panels hide more of a slow wire, few coarse ones cost less: which counts for more depends on the rate of
/// the wire and on how many ranks share a core. Products are done in both ways, fine, coarse, coarse, fine, and the
/// same again, so that neither way has the easier ones where two kinds of products take turns, and the better of two
/// counts where one was disturbed. The faster way is kept for some time. All ranks must be told the same, and then
/// decide alike.
class PanelCountTuner {
 public:
  /// Whether the panels of the next product are coarse.
  bool coarse() const { return resolved() ? coarse_ : coarse_in(trial_); }
  /// Whether the next product is as those before it, so that other things may be tried.
  bool resolved() const { return trial_ == trials; }

  /// \param rate of the product just done, in operations per second
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
  static constexpr double better = 1.03;  ///< what another way must gain: less than that is noise

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
