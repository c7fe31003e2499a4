// SPDX-License-Identifier: BSD-3-Clause
/// \file  The least time of a case, worked out by hand.
#include "predict/bound.hpp"

#include "predict/line_rates.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace predict;

TEST(Bound, ArraysBeyondTheCacheAreMoved) {
  EXPECT_EQ(least_bytes_of_pair(1000, 15999).moved, 4 * 16000);
  EXPECT_EQ(least_bytes_of_pair(1000, 16000).moved, 0);
  const BandArrays band{.waves = 100, .columns = 400, .grid = 1000};  // 1600, 6400 and 8000 bytes
  const LeastBytes trip = least_bytes_of_round_trip(band, 15999), density = least_bytes_of_density(band, 15999);
  EXPECT_EQ(trip.moved, 2 * 1600 + 3 * 6400 + 8000);
  EXPECT_EQ(density.moved, 1600 + 2 * 6400 + 8000);
  EXPECT_EQ(trip.arrays, 16000);
  EXPECT_EQ(density.arrays, 16000);
  EXPECT_EQ(least_bytes_of_round_trip(band, 16000).moved, 0);
  EXPECT_EQ(least_bytes_of_density(band, 16000).moved, 0);
  compared(8);
}

/// Two ranks: 1D FFTs of 8 and 16 points, and of one point, which cost nothing.
NodeWork work_of_two_ranks() {
  NodeWork node;
  node.ranks.resize(2);
  node.ranks[0].lines = {{8, 100}, {16, 600}, {1, 0}};
  node.ranks[1].lines = {{8, 300}, {16, 200}};
  node.ranks[0].between.bytes = 4000;
  node.ranks[1].between.bytes = 6000;
  node.units = 2;
  return node;
}

BoundRates rates_of_a_machine(std::vector<std::int64_t>& asked) {
  return {[&](std::int64_t n) {
            asked.push_back(n);
            return n == 8 ? 10.0 : 20.0;
          },
          [](double arrays) { return arrays / 5; }, 250};
}

TEST(Bound, IsTheLongestPartOfAUnit) {
  std::vector<std::int64_t> asked;
  const Bound bound = bound_of(work_of_two_ranks(), 0.5, {50, 100}, rates_of_a_machine(asked));
  EXPECT_EQ(bound.lines, 0.5 * (100 / 10.0 + 600 / 20.0) / 2);  // of the first rank, which has 40 and 30 + 10
  EXPECT_EQ(bound.memory, 50 / 20.0);
  EXPECT_EQ(bound.links, 0.5 * 10000 / 250 / 2);
  EXPECT_EQ(bound.bytes, 50);
  EXPECT_EQ(bound.seconds(), 10);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{8, 16}));
  compared(6);
}

TEST(Bound, HasNoLinksOnOneNodeAndNoMemoryInTheCache) {
  std::vector<std::int64_t> asked;
  BoundRates rates = rates_of_a_machine(asked);
  rates.between = 0;
  rates.memory = [](double) -> double { throw std::logic_error("no memory is used"); };
  const Bound bound = bound_of(work_of_two_ranks(), 1, {0, 100}, rates);
  EXPECT_EQ(bound.memory, 0);
  EXPECT_EQ(bound.links, 0);
  EXPECT_EQ(bound.seconds(), bound.lines);
  compared(3);
}

TEST(Bound, RatesArePositive) {
  for (const std::int64_t n : {2, 7, 64, 3000}) EXPECT_GT(cached_line_rate(line_library(), n, 0.001), 1e6) << n;
  EXPECT_GT(measured_memory(1 << 20, 0.001), 1e6);
  compared(5);
}

}  // namespace
}  // namespace seiche::testing
