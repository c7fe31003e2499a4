// SPDX-License-Identifier: BSD-3-Clause
/// \file  What products find by trying, against rates whose best is known.
#include "blocksparse/product/panel_count_tuner.hpp"
#include "blocksparse/product/thread_share_tuner.hpp"

#include <array>
#include <cmath>
#include <functional>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;

TEST(ThreadShareTuner, IsThatOfTheHighestRate) {
  const auto resolved = [](const std::function<double(double)>& rate, bool waits) {
    ThreadShareTuner tuner;
    std::array<int, 4> used{};  // how often 1, 0.8, 0.64, 0.512 in the last products
    for (int product = 0; product < 200; ++product) {
      const double share = tuner.next();
      EXPECT_GT(share, 0.2);
      EXPECT_LE(share, 1);
      if (product >= 100)
        ++used[static_cast<std::size_t>(std::clamp(std::lround(std::log(share) / std::log(0.8)), 0L, 3L))];
      tuner.learn(rate(share), waits);
    }
    return std::pow(0.8, std::max_element(used.begin(), used.end()) - used.begin());
  };
  const auto best_at = [](double share) { return [=](double x) { return 2 - std::abs(x - share); }; };
  for (const double share : {1.0, 0.8, 0.64}) EXPECT_NEAR(resolved(best_at(share), true), share, 1e-9);
  // a link that no thread can keep up with: the work has nothing to do with the rate, and nothing is given away
  EXPECT_EQ(resolved([](double) { return 1.0; }, true), 1);
  // nobody waits, so nothing is tried
  EXPECT_EQ(resolved(best_at(0.5), false), 1);
  compared(5);
}

TEST(ThreadShareTuner, BeginsWithWhatWasFoundBefore) {
  const auto resolved = [](double first, double best) {
    ThreadShareTuner tuner;
    tuner.begin_with(first);
    EXPECT_EQ(tuner.next(), std::clamp(first, 0.1, 1.0));
    for (int product = 0; product < 200; ++product) tuner.learn(2 - std::abs(tuner.next() - best), true);
    double least = 1, most = 0;
    for (int product = 0; product < 20; ++product) {
      least = std::min(least, tuner.next());
      most = std::max(most, tuner.next());
      tuner.learn(2 - std::abs(tuner.next() - best), true);
    }
    return std::pair(least, most);
  };
  for (const auto& [first, best] : {std::pair{0.5, 0.5}, {0.5, 1.0}, {1.0, 0.512}, {0.0, 0.1}, {7.0, 1.0}}) {
    const auto [least, most] = resolved(first, best);
    EXPECT_LE(least, best + 1e-9) << first;
    EXPECT_GE(most, best - 1e-9) << first;
    EXPECT_LE(most / least, 1 / 0.8 / 0.8 + 1e-9) << first << ": still on its way";
    compared(3);
  }
}

TEST(PanelCountTuner, IsThatOfTheHigherRate) {
  const auto resolved = [](double of_coarse, double of_odd) {
    PanelCountTuner tuner;
    int coarse = 0, products = 0;
    for (int product = 0; product < 400; ++product) {
      const bool now = tuner.coarse();
      if (product >= 100) coarse += now, ++products;
      const double disturbed = product % 9 == 1 ? 0.3 : 1.0;
      tuner.learn((now ? of_coarse : 1.0) * (product % 2 == 1 ? of_odd : 1.0) * disturbed);
    }
    return static_cast<double>(coarse) / products;
  };
  // four of every 72 products are done in the other way
  EXPECT_GT(resolved(1.2, 1.0), 0.9);
  EXPECT_LT(resolved(0.8, 1.0), 0.1);
  EXPECT_LT(resolved(1.01, 1.0), 0.1) << "too little to be more than noise";
  // every second product is of another kind
  EXPECT_GT(resolved(1.2, 5.0), 0.9);
  EXPECT_LT(resolved(0.8, 5.0), 0.1);
  compared(5);
}

}  // namespace
}  // namespace seiche
