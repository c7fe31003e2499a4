// SPDX-License-Identifier: BSD-3-Clause
/// \file  The share of the thread that drives MPI, against rates whose best share is known.
#include "blocksparse/load.hpp"

#include <array>
#include <cmath>
#include <functional>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;

TEST(CommunicationLoad, IsThatOfTheHighestRate) {
  const auto settled = [](const std::function<double(double)>& rate, bool waits) {
    CommunicationLoad load;
    std::array<int, 4> used{};  // how often 1, 0.8, 0.64, 0.512 in the last products
    for (int product = 0; product < 200; ++product) {
      const double share = load.next();
      EXPECT_GT(share, 0.2);
      EXPECT_LE(share, 1);
      if (product >= 100)
        ++used[static_cast<std::size_t>(std::clamp(std::lround(std::log(share) / std::log(0.8)), 0L, 3L))];
      load.learn(rate(share), waits);
    }
    return std::pow(0.8, std::max_element(used.begin(), used.end()) - used.begin());
  };
  const auto best_at = [](double share) { return [=](double x) { return 2 - std::abs(x - share); }; };
  for (const double share : {1.0, 0.8, 0.64}) EXPECT_NEAR(settled(best_at(share), true), share, 1e-9);
  // a link that no thread can keep up with: the work has nothing to do with the rate, and nothing is given away
  EXPECT_EQ(settled([](double) { return 1.0; }, true), 1);
  // nobody waits, so nothing is tried
  EXPECT_EQ(settled(best_at(0.5), false), 1);
  compared(5);
}

}  // namespace
}  // namespace seiche
