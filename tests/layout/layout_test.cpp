// SPDX-License-Identifier: BSD-3-Clause
/// \file  Index sets and owners, against counts made by hand or by plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <tuple>

#include "layout/process_grid.hpp"
#include "layout/route.hpp"
#include "layout/sound_shape.hpp"
#include "seiche/layout.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

TEST(Layout, BlocksCoverEverythingOnce) {
  for (const std::int64_t n : {0, 1, 7, 20}) {
    for (const int parts : {1, 2, 3, 7, 48}) {
      std::int64_t next = 0;
      for (int part = 0; part < parts; ++part) {
        const Range range = block(n, parts, part);
        EXPECT_EQ(range.low, next);
        EXPECT_EQ(range.size(), n / parts + (part < n % parts ? 1 : 0)) << "longer ones first";
        for (std::int64_t i = range.low; i < range.high; ++i) EXPECT_EQ(block_owner(n, parts, i), part);
        next = range.high;
      }
      EXPECT_EQ(next, n);
      compared(n + 1);
    }
  }
}

TEST(Layout, WeightedBlocksAreInProportion) {
  const std::vector<int> weights{2, 0, 3};
  expect_equal(
      std::vector{weighted_block(10, weights, 0), weighted_block(10, weights, 1), weighted_block(10, weights, 2)},
      {{0, 4}, {4, 4}, {4, 10}});
  expect_equal(std::vector{weighted_block(4, weights, 0), weighted_block(4, weights, 2)}, {{0, 1}, {1, 4}});
}

TEST(Layout, RefusesPartsThatDoNotExist) {
  for (const auto& [n, parts, part] : {std::tuple{10, 0, 0}, {10, -1, 0}, {10, 3, 3}, {10, 3, -1}, {-1, 3, 0}}) {
    expect_error(Fault::bad_argument, "has no part " + std::to_string(part), [&] { block(n, parts, part); });
  }
  for (const auto& [n, parts, index] : {std::tuple{10, 0, 0}, {10, 3, 10}, {10, 3, -1}, {0, 1, 0}}) {
    expect_error(Fault::bad_argument, "index " + std::to_string(index) + " is in none of",
                 [&] { block_owner(n, parts, index); });
  }
  using Weights = std::vector<int>;
  for (const Weights& weights : {Weights{}, {0, 0}, {2, -1}}) {
    expect_error(Fault::bad_argument, "pass weights that are not negative", [&] { weighted_block(10, weights, 0); });
  }
  expect_error(Fault::bad_argument, "has no part 2 of 2", [] { weighted_block(10, Weights{1, 1}, 2); });
  expect_error(Fault::bad_argument, "weights of the parts", [] { weighted_block(1LL << 40, Weights{1 << 30}, 0); });
  for (const int none : {0, -1}) {
    expect_error(Fault::bad_argument, "waves need at least one rank", [&] { balanced_owners({}, none); });
  }
}

TEST(Layout, ShapesOfGridsHaveLimits) {
  constexpr std::int64_t most = (1LL << 31) - 1;
  for (const GridShape& shape :
       {GridShape{1, 1, 1}, {most, 1, 1}, {most, 1 << 21, 1}, {1 << 20, 1 << 20, (1 << 13) - 1}})
    require_sound(shape);
  for (const GridShape& shape : {GridShape{0, 1, 1}, {1, -1, 1}, {1, 1, std::numeric_limits<std::int64_t>::min()}}) {
    expect_error(Fault::bad_argument, "grid dimensions must be positive (got ", [&] { require_sound(shape); });
  }
  for (const GridShape& shape : {GridShape{most + 1, 1, 1},
                                 {1, 1LL << 32, 1LL << 32},
                                 {1, 1, 1'000'000'000'000},
                                 {1 << 20, 1 << 20, 1 << 13},
                                 {most, most, most}}) {
    expect_error(Fault::bad_argument, "grid dimensions must be below 2^31", [&] { require_sound(shape); });
  }
}

TEST(Layout, IntersectionOfBoxes) {
  const Box a{{Range{0, 5}, Range{2, 4}, Range{1, 9}}}, b{{Range{3, 8}, Range{0, 3}, Range{9, 12}}};
  EXPECT_EQ(intersect(a, b).size(0), 2);
  EXPECT_EQ(intersect(a, b).size(1), 1);
  EXPECT_TRUE(intersect(a, b).empty());
  EXPECT_EQ(intersect(a, b).volume(), 0);
  EXPECT_EQ(intersect(a, whole({5, 5, 5})).volume(), 5 * 2 * 4);
  compared(5);
}

TEST(Layout, ProcessGridsUseTheRanksTheyCan) {
  const auto grid = [](int ranks, std::int64_t nz, std::int64_t ny) { return arrange(ranks, nz, ny, Split::balanced); };
  EXPECT_EQ(grid(48, 20, 20).slow * grid(48, 20, 20).fast, 40);  // 20 x 2: shares of 1 x 10
  EXPECT_EQ(grid(47, 20, 20).slow, 20);
  EXPECT_EQ(grid(5, 1, 3).fast, 3);
  EXPECT_EQ(grid(4, 1, 1).slow * grid(4, 1, 1).fast, 1);
  EXPECT_EQ(arrange(7, 3, 100, Split::slow).slow, 7);
  compared(5);
}

/// No other grid of so many ranks leaves the busiest of them less.
TEST(Layout, ProcessGridsShareOutMost) {
  const auto busiest = [](std::int64_t n_slow, std::int64_t n_fast, int slow, int fast) {
    return block(n_slow, slow, 0).size() * block(n_fast, fast, 0).size();
  };
  for (int ranks = 1; ranks <= 30; ++ranks) {
    for (const auto& [n_slow, n_fast] : {std::pair(20, 20), std::pair(7, 12), std::pair(41, 5), std::pair(1, 9)}) {
      std::int64_t least = n_slow * n_fast;
      for (int slow = 1; slow <= std::min(ranks, n_slow); ++slow) {
        for (int fast = 1; fast <= std::min(ranks / slow, n_fast); ++fast) {
          least = std::min(least, busiest(n_slow, n_fast, slow, fast));
        }
      }
      const ProcessGrid grid = arrange(ranks, n_slow, n_fast, Split::balanced);
      EXPECT_EQ(busiest(n_slow, n_fast, grid.slow, grid.fast), least)
          << ranks << " ranks, " << n_slow << " x " << n_fast;
      compared();
    }
  }
}

TEST(Layout, ProcessGridsSplitBothAxesWhereTheyCan) {
  const auto parts = [](int ranks, std::int64_t nz, std::int64_t ny) {
    const ProcessGrid grid = arrange(ranks, nz, ny, Split::both);
    return std::array{grid.slow, grid.fast};
  };
  testing::expect_equal(parts(4, 64, 64), {2, 2});
  testing::expect_equal(parts(6, 64, 64), {3, 2});
  testing::expect_equal(parts(6, 41, 21), {2, 3});
  testing::expect_equal(parts(5, 64, 64), {2, 2});
  testing::expect_equal(parts(3, 64, 64), {3, 1});
  testing::expect_equal(parts(4, 1, 64), {1, 4});
}

/// Each rank has one place whichever ranks are neighbours.
TEST(Layout, ProcessGridsTellNeighbours) {
  const ProcessGrid fast{3, 2}, slow{3, 2, true};
  EXPECT_EQ(fast.slow_of(0), fast.slow_of(1));
  EXPECT_EQ(slow.fast_of(0), slow.fast_of(1));
  for (const ProcessGrid& grid : {fast, slow}) {
    std::set<std::pair<int, int>> places;
    for (int rank = 0; rank < 6; ++rank) places.insert({grid.slow_of(rank), grid.fast_of(rank)});
    EXPECT_EQ(places.size(), 6U);
    EXPECT_EQ(places.rbegin()->first, 2);
    EXPECT_FALSE(grid.active(6));
    compared(3);
  }
}

/// Silicon's reciprocal lattice is body-centred: its shells of |n|^2 are known.
TEST(Layout, SphereOfACubicLattice) {
  const double unit = 2 * std::numbers::pi / 10;
  const std::array<std::array<double, 3>, 3> b{{{unit, 0, 0}, {0, unit, 0}, {0, 0, unit}}};
  const double cutoff = 2.5 * unit * unit / 2;  // |n|^2 <= 2: 1 + 6 + 12 waves
  EXPECT_EQ(sphere_of_waves(b, {0, 0, 0}, cutoff).size(), 19u);
  EXPECT_EQ(sphere_of_waves(b, {0, 0, 0}, cutoff, true).size(), 10u);
  EXPECT_EQ(sphere_of_waves(b, {0.5, 0, 0}, 0.3 * unit * unit / 2).size(), 2u);  // 000 and -100
  EXPECT_EQ(sphere_of_waves(b, {0, 0, 0}, 0).size(), 1u);
  compared(4);
}

TEST(Layout, SpheresHaveLimits) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::array<std::array<double, 3>, 3> b{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (const double cutoff : {-1.0, nan, infinity}) {
    expect_error(Fault::bad_argument, "cutoff of a sphere must be a finite number", [&] {
      sphere_of_waves(b, {0, 0, 0}, cutoff);
    });
  }
  expect_error(Fault::bad_argument, "contains too many waves", [&] { sphere_of_waves(b, {0, 0, 0}, 1e30); });
  for (const double k : {nan, infinity}) {
    expect_error(Fault::bad_argument, "contains too many waves", [&] { sphere_of_waves(b, {0, k, 0}, 1); });
  }
  const std::array<std::array<double, 3>, 3> flat{{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, unset{{{nan}}};
  for (const auto& lattice : {flat, unset}) {
    expect_error(Fault::bad_argument, "not finite and independent", [&] { sphere_of_waves(lattice, {0, 0, 0}, 1); });
  }
}

/// A lattice far from cubic: listed by a generous loop over all indices.
TEST(Layout, SphereOfASkewLattice) {
  const std::array<std::array<double, 3>, 3> b{{{1.0, 0.2, 0.0}, {-0.4, 0.7, 0.1}, {0.3, -0.2, 0.5}}};
  const std::array<double, 3> k{0.25, -0.4, 0.125};
  const double cutoff = 4.0;
  std::vector<Miller> expected;
  for (int x = -20; x <= 20; ++x) {
    for (int y = -20; y <= 20; ++y) {
      for (int z = -20; z <= 20; ++z) {
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          square += std::pow((x + k[0]) * b[0][i] + (y + k[1]) * b[1][i] + (z + k[2]) * b[2][i], 2);
        }
        if (square / 2 <= cutoff) expected.push_back({x, y, z});
      }
    }
  }
  EXPECT_GT(expected.size(), 100U);
  expect_equal(sphere_of_waves(b, k, cutoff), expected);
}

TEST(Layout, OwnersKeepSticksWholeAndBalanced) {
  std::vector<Miller> waves;
  for (int x = -4; x <= 4; ++x) {
    for (int y = -4; y <= 4; ++y) {
      for (int z = -6; z <= 6; ++z) {
        if (2 * x * x + 2 * y * y + z * z <= 36) waves.push_back({x, y, z});
      }
    }
  }
  for (const int parts : {1, 2, 3, 6, 100}) {
    const auto owners = balanced_owners(waves, parts);
    std::vector<int> load(static_cast<std::size_t>(parts));
    std::set<std::array<int, 3>> stick_owners;
    std::set<std::array<int, 2>> sticks;
    for (std::size_t i = 0; i < waves.size(); ++i) {
      ++load[static_cast<std::size_t>(owners[i])];
      stick_owners.insert({waves[i].x, waves[i].y, owners[i]});
      sticks.insert({waves[i].x, waves[i].y});
    }
    EXPECT_EQ(stick_owners.size(), sticks.size());
    const auto [least, most] = std::minmax_element(load.begin(), load.end());
    if (parts <= 6) {
      EXPECT_LE(*most - *least, 13);  // no more than the longest stick
    }
    compared(static_cast<std::int64_t>(waves.size()));
  }
}

TEST(Layout, RoutesOfBoxesNameTheSameElementsOnBothSides) {
  const std::vector<Box> rows{{{Range{0, 4}, Range{0, 5}, Range{0, 2}}}, {{Range{0, 4}, Range{0, 5}, Range{2, 3}}}};
  const std::vector<Box> columns{{{Range{0, 4}, Range{0, 3}, Range{0, 3}}}, {{Range{0, 4}, Range{3, 5}, Range{0, 3}}}};
  const Route first = route_of_boxes(0, rows, {1, 8, 48}, columns, {1, 8, 24});
  const Route second = route_of_boxes(1, rows, {1, 8, 48}, columns, {1, 8, 16});
  EXPECT_EQ(first.source[1].count, second.target[0].count);
  EXPECT_EQ(first.source[1].offset, 3 * 8);
  EXPECT_EQ(second.target[1].offset, 2 * 16);
  EXPECT_EQ(second.target_size, 3 * 16);
  EXPECT_FALSE(first.source[1].contiguous());
  EXPECT_TRUE(row_patch(5, 9).contiguous());
  const std::vector<Box> nothing(2, {{Range{0, 4}, Range{2, 2}, Range{0, 3}}});
  const Route none = route_of_boxes(0, nothing, {1, 8, 48}, columns, {1, 8, 24});
  EXPECT_EQ(none.source_size, 0) << "of an empty box nothing is kept";
  EXPECT_EQ(none.source[0].size() + none.target[0].size(), 0);
  compared(8);
}

}  // namespace
}  // namespace seiche::testing
