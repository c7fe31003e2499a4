// SPDX-License-Identifier: BSD-3-Clause
/// \file  Dealing out blocks, and sums that do not depend on the ranks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "blocksparse/matrix/sums.hpp"
#include "seiche/blocksparse.hpp"
#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;

double noise(int i, int seed) { return std::sin(1e3 * (i + 1) * (seed + 0.37)); }

double sum_of(const Communicator& comm, const std::vector<double>& terms) {
  return exact_sum(comm, [&] { return terms; });
}

TEST(Sums, DoNotDependOnTheRanks) {
  std::vector<double> terms;
  for (int i = 0; i < 997; ++i) terms.push_back(noise(i, 1) * std::exp(noise(i, 2) * 20));
  const Communicator world = Communicator(MPI_COMM_WORLD), self = Communicator(MPI_COMM_SELF);
  std::vector<double> mine;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (static_cast<int>(i) % testing::ranks() == testing::rank()) mine.push_back(terms[i]);
  }
  long double wide = 0;
  for (const double term : terms) wide += term;
  const double alone = sum_of(self, terms);
  EXPECT_EQ(sum_of(world, mine), alone);
  EXPECT_NEAR(alone, static_cast<double>(wide), 1e-9 * std::abs(static_cast<double>(wide)));
  compared(2);
}

TEST(Sums, AreExactAtAnySize) {
  const Communicator self = Communicator(MPI_COMM_SELF);
  EXPECT_EQ(sum_of(self, std::vector<double>{1e25, 3, -1e25, 4}), 7);  // in units of 2^-6
  EXPECT_EQ(sum_of(self, std::vector<double>{3 * 0x1p-200, 0x1p-250, -3 * 0x1p-200}), 0x1p-250);
  EXPECT_EQ(sum_of(self, std::vector<double>(1000, 0x1.8p900)), 1000 * 0x1.8p900);
  EXPECT_TRUE(std::isnan(sum_of(self, std::vector<double>{1, std::numeric_limits<double>::infinity()})));
  compared(4);
}

TEST(Layout, CurvesKeepNeighboursTogether) {
  std::vector<std::array<double, 3>> places;
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      for (int z = 0; z < 8; ++z) places.push_back({1.0 * x, 1.0 * y, 1.0 * z});
    }
  }
  const BlockSizes sizes(places.size(), 3);
  const auto owner = distribute_along_curve(places, sizes, 8);
  // eight parts of an 8 x 8 x 8 lattice along a Hilbert curve are its octants
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto octant = [](const std::array<double, 3>& p) { return (p[0] > 3) * 4 + (p[1] > 3) * 2 + (p[2] > 3); };
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(owner[i] == owner[j], octant(places[i]) == octant(places[j]));
    compared();
  }
}

TEST(Layout, CurvesGoFromNeighbourToNeighbour) {
  std::vector<std::array<double, 3>> places;
  for (int i = 0; i < 64; ++i) places.push_back({1.0 * (i / 16), 1.0 * (i / 4 % 4), 1.0 * (i % 4)});
  const auto owner = distribute_along_curve(places, BlockSizes(64, 1), 64);
  std::vector<std::size_t> at(64, 64);  // place of each part
  for (std::size_t i = 0; i < 64; ++i) at[static_cast<std::size_t>(owner[i])] = i;
  for (std::size_t part = 1; part < 64; ++part) {
    double apart = 0;
    for (std::size_t a = 0; a < 3; ++a) apart += std::abs(places.at(at[part])[a] - places.at(at[part - 1])[a]);
    EXPECT_EQ(apart, 1) << part;
    compared();
  }
}

TEST(Layout, EachBlockHasOneOwnerAndOnePlace) {
  testing::expect_error(Fault::bad_argument, "2 block rows, 1 owners): give one owner per block", [] {
    make_layout(MPI_COMM_WORLD, {2, 3}, {2, 3}, {testing::ranks(), 1}, {0}, {0, 0});
  });
  const std::vector<std::array<double, 3>> places(2);
  testing::expect_error(Fault::bad_argument, "2 positions, 3 blocks): give one position per block", [&] {
    distribute_along_curve(places, {1, 1, 1}, 2);
  });
}

TEST(Layout, RandomDealingBalancesEachSize) {
  BlockSizes sizes;
  for (int i = 0; i < 70; ++i) sizes.push_back(std::array{13, 5, 5, 1, 23, 2, 7}[static_cast<std::size_t>(i) % 7]);
  const auto owner = distribute_random(sizes, 5, 7);
  std::vector<std::int64_t> load(5, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) load[static_cast<std::size_t>(owner[i])] += sizes[i];
  EXPECT_LE(*std::max_element(load.begin(), load.end()) - *std::min_element(load.begin(), load.end()), 23);
  EXPECT_NE(owner, distribute_random(sizes, 5, 8));
  compared(2);
}

}  // namespace
}  // namespace seiche
