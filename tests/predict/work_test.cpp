// SPDX-License-Identifier: BSD-3-Clause
/// \file  What predictions count of a transform, beside what plans on these ranks report of themselves.
#include "predict/work.hpp"

#include <cmath>

#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace predict;
using Complex = std::complex<double>;

std::vector<FftOptions> all_options() {
  std::vector<FftOptions> all;
  for (const Algorithm way : {Algorithm::shared, Algorithm::pairwise, Algorithm::alltoallv}) {
    for (const auto decomposition : {Decomposition::automatic, Decomposition::pencil, Decomposition::pencil_yz}) {
      FftOptions options;
      options.policy.algorithm = way;
      options.decomposition = decomposition;
      all.push_back(options);
    }
  }
  all.back().chunks = {3, 1};
  return all;
}

constexpr GridShape small{12, 10, 14};

TEST(PredictedWork, PairsSendAndTakeWhatPlansSay) {
  for (const FftOptions& options : all_options()) {
    const FftReport of_complex = DenseFft<Complex>(MPI_COMM_WORLD, small, options).report();
    const FftReport of_real = DenseFft<double>(MPI_COMM_WORLD, small, options).report();
    for (const bool is_real : {false, true}) {
      const FftReport& report = is_real ? of_real : of_complex;
      const NodeWork work = work_of_pair(small, is_real, {ranks(), 1}, options);
      const Work& mine = work.ranks[static_cast<std::size_t>(rank())];
      EXPECT_EQ(mine.bytes_sent, report.bytes_sent) << report.algorithm << " " << report.decomposition;
      EXPECT_EQ(mine.memory, report.memory) << report.algorithm << " " << report.decomposition;
      EXPECT_EQ(name_of(work.settings.decomposition), report.decomposition);
      compared(3);
    }
  }
}

std::vector<Miller> waves_of_this_rank(double radius) {
  const auto all = sphere_of_waves({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, 0.5 * radius * radius);
  const auto owners = balanced_owners(all, ranks());
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == rank()) mine.push_back(all[i]);
  }
  return mine;
}

TEST(PredictedWork, BandsSendAndTakeWhatPlansSay) {
  constexpr double radius = 9.5;
  constexpr GridShape shape{24, 20, 28};
  const auto waves = waves_of_this_rank(radius);
  for (FftOptions options : all_options()) {
    options.chunks.clear();  // of dense grids only
    for (const int groups : {1, 2, 3}) {
      options.band_groups = groups;
      if (ranks() % groups != 0) continue;
      const SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, options);
      const NodeWork work = work_of_band(shape, radius, {ranks(), 1}, options);
      const Work& mine = work.ranks[static_cast<std::size_t>(rank())];
      EXPECT_EQ(mine.bytes_sent, fft.report().bytes_sent) << fft.report().algorithm << " " << groups;
      EXPECT_LE(static_cast<double>(mine.memory), 1.05 * static_cast<double>(fft.report().memory));
      EXPECT_GE(static_cast<double>(mine.memory), 0.85 * static_cast<double>(fft.report().memory))
          << fft.report().algorithm << " " << fft.report().decomposition << " " << fft.report().library;
      EXPECT_EQ(work.units, groups);
      compared(4);
    }
  }
}

TEST(PredictedWork, LinesOfAllRanksAreThoseOfTheGrid) {
  const double x = 5 * 12 * std::log2(12) * 10 * 14, y = 5 * 10 * std::log2(10) * 12 * 14;
  const double z = 5 * 14 * std::log2(14) * 12 * 10;
  for (const FftOptions& options : all_options()) {
    for (const int ranks : {1, 2, 5, 12, 40}) {
      double all = 0;
      for (const Work& of : work_of_pair(small, false, {ranks, 1}, options).ranks) {
        for (const LinesOf& lines : of.lines) all += lines.operations;
      }
      EXPECT_NEAR(all, 2 * (x + y + z), 1e-6 * all);
      compared();
    }
  }
}

TEST(PredictedWork, BytesStayInsideOrLeaveTheNode) {
  FftOptions options;
  options.policy.algorithm = Algorithm::pairwise;
  const Work two = work_of_pair({8, 8, 8}, false, {4, 2}, options).ranks[0];
  const double to_each = 2 * 2 * 8 * 16;  // two planes' two rows
  EXPECT_EQ(two.inside.bytes, 2 * to_each);
  EXPECT_EQ(two.between.bytes, 2 * 2 * to_each);
  const Work one = work_of_pair({8, 8, 8}, false, {4, 1}, options).ranks[0];
  EXPECT_EQ(one.inside.bytes, 3 * 2 * to_each);
  EXPECT_EQ(one.between.bytes, 0);
  EXPECT_EQ(one.inside.messages, 3 * 3 * 2);  // of two planes one is a chunk, the columns of the other are two
  compared(5);
}

TEST(PredictedWork, NodesAreFilledOrEqual) {
  const Where equal{10, 4}, filled = filled_nodes(10, 4);
  EXPECT_EQ(filled.nodes, 3);
  std::vector<int> of_equal, of_filled;
  for (int r = 0; r < 10; ++r) of_equal.push_back(equal.node_of(r)), of_filled.push_back(filled.node_of(r));
  expect_equal(of_equal, {0, 0, 0, 1, 1, 1, 2, 2, 3, 3});
  expect_equal(of_filled, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2});
  EXPECT_EQ(equal.ranks_of_node(), 3);
  EXPECT_EQ(filled.ranks_of_node(), 4);
}

TEST(PredictedWork, BandGroupsAreNodesWhereNodesAreAlike) {
  const auto groups = [](const Where& where) {
    FftOptions open;
    open.band_groups = 0;
    return work_of_band({8, 8, 8}, 3, where, open).units;
  };
  EXPECT_EQ(groups({6, 2}), 2);
  EXPECT_EQ(groups(filled_nodes(6, 3)), 2);
  EXPECT_EQ(groups(filled_nodes(6, 5)), 1);
  EXPECT_EQ(groups({5, 2}), 1);
  compared();
}

}  // namespace
}  // namespace seiche::testing
