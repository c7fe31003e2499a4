// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests plans with a topology: the values, the boxes, and the bytes that cross each level.
#include <set>

#include "comm/levels.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "seiche/pair_densities.hpp"
#include "support/bands.hpp"
#include "support/fresh_communicator.hpp"
#include "support/oracle.hpp"
#include "support/topology.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

/// Each rank is on its own node. Even nodes are in one group, odd ones in another.
struct TwoGroups {
  const EmulatedNodes nodes{-ranks()};
  const ScratchDirectory scratch;
  const FreshCommunicator comm, as_they_come;
  std::string file() const {
    std::string text = "host group\n";
    for (int r = 0; r < ranks(); ++r) text += "node" + std::to_string(r) + (r % 2 == 0 ? " even\n" : " odd\n");
    return topology_file(scratch, text);
  }
};

/// The boxes of a rank.
struct Boxes {
  Box grid, spectrum;
};
template <class Plan>
std::vector<Boxes> boxes_of_all(const Plan& plan) {
  std::vector<Boxes> all(static_cast<std::size_t>(ranks()));
  const Boxes mine{plan.grid_box(), plan.spectrum_box()};
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

/// Counts the points that a transform moves between ranks for which `apart` is true, point by point. Between rows and
/// columns, pencils have the x of columns and the z of rows.
template <class Apart>
std::int64_t moved(const std::vector<Boxes>& boxes, bool pencil, const Apart& apart) {
  std::int64_t count = 0;
  const auto has = [](const Range& range, std::int64_t at) { return range.low <= at && at < range.high; };
  const auto rank_with = [&](const auto& owns) {
    for (std::size_t r = 0; r < boxes.size(); ++r)
      if (owns(boxes[r])) return static_cast<int>(r);
    return -1;
  };
  for (std::int64_t z = 0; z < shape.nz; ++z) {
    for (std::int64_t y = 0; y < shape.ny; ++y) {
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        const int row = rank_with([&](const Boxes& of) { return has(of.grid.axis[1], y) && has(of.grid.axis[2], z); });
        const int middle =
            rank_with([&](const Boxes& of) { return has(of.spectrum.axis[0], x) && has(of.grid.axis[2], z); });
        const int column =
            rank_with([&](const Boxes& of) { return has(of.spectrum.axis[0], x) && has(of.spectrum.axis[1], y); });
        count += pencil ? apart(row, middle) + apart(middle, column) : apart(row, column);
      }
    }
  }
  return count;
}

std::string levels_text(const std::vector<Boxes>& with, const std::vector<Boxes>& without, bool pencil) {
  const auto bytes = [&](const auto& apart) {
    const auto text = [&](const std::vector<Boxes>& boxes) {
      return std::to_string(moved(boxes, pencil, apart) * std::int64_t{sizeof(Complex)});
    };
    return text(with) + " (" + text(without) + ")";
  };
  return "node " + bytes([](int a, int b) { return a != b; }) + ", group " +
         bytes([](int a, int b) { return a % 2 != b % 2; });
}

TEST(Topology, PlansReportTheBytesThatCrossEachLevel) {
  if (ranks() == 1) GTEST_SKIP() << "one rank sends nothing";
  const TwoGroups two;
  for (const Decomposition decomposition : all_decompositions) {
    const FftOptions options{.decomposition = decomposition};
    const DenseFft<Complex> before(two.as_they_come.raw, shape, options);
    EXPECT_EQ(before.report().levels, "");
    const TopologySetting file(two.file());
    const DenseFft<Complex> after(two.comm.raw, shape, options);
    const bool pencil = after.report().decomposition != "slab";
    EXPECT_EQ(after.report().levels, levels_text(boxes_of_all(after), boxes_of_all(before), pencil));
    compared(2);
  }
}

/// Rows of pencils on four ranks have two ranks, which are in one group.
TEST(Topology, RowsOfPencilsStayInAGroup) {
  if (ranks() != 4) GTEST_SKIP() << "rows of two of four ranks";
  const TwoGroups two;
  const TopologySetting file(two.file());
  const DenseFft<Complex> fft(two.comm.raw, shape, {.decomposition = Decomposition::pencil});
  const auto boxes = boxes_of_all(fft);
  for (const auto& [a, b] : {std::pair{0, 2}, std::pair{1, 3}}) {
    EXPECT_EQ(boxes[a].grid.axis[2], boxes[b].grid.axis[2]);
    compared();
  }
  const auto expected = dense_grid_boxes(4, shape, {.decomposition = Decomposition::pencil});
  EXPECT_EQ(fft.grid_box(), expected[static_cast<std::size_t>(order_ranks(two.comm.raw).rank())]);
}

/// Nodes have the ranks in turn. Band groups are nodes, so that only coefficients cross: of the bands of other groups.
TEST(Topology, OnlyCoefficientsCrossBandGroups) {
  if (ranks() != 4) GTEST_SKIP() << "two nodes of two ranks";
  const EmulatedNodes nodes(-2);
  const FreshCommunicator comm;
  const TopologySetting topology("nodes");
  const auto all = waves_of_radius(3);
  const SphereFft<Complex> fft(comm.raw, shape, share_of(all, true));
  EXPECT_EQ(fft.report().band_groups, 2);
  const auto crossing = std::to_string(all.size() / 2 * sizeof(Complex) + (all.size() % 2) * sizeof(Complex) / 2);
  EXPECT_EQ(fft.report().levels.substr(0, 6 + crossing.size()), "node " + crossing + " ");
  compared(2);
}

TEST(Topology, ChangesNoValues) {
  constexpr std::int64_t bands = 5;
  const TwoGroups two;
  const auto waves = share_of(waves_of_radius(3), false);
  const auto in = coefficients(waves, bands);
  for (const Decomposition decomposition : all_decompositions) {
    for (const int groups : std::set{1, ranks()}) {
      const FftOptions options{
          .library = LineLibrary::fftw, .decomposition = decomposition, .reproducible = true, .band_groups = groups};
      std::vector<Complex> before(in.size()), after(in.size());
      SphereFft<Complex>(two.as_they_come.raw, shape, waves, options).round_trip(in, before, bands, double_values);
      const TopologySetting file(two.file());
      SphereFft<Complex>(two.comm.raw, shape, waves, options).round_trip(in, after, bands, double_values);
      expect_equal(after, before);
    }
  }
}

/// The caller's density waves determine the groups: the topology changes none.
TEST(Topology, ChangesNoPairDensities) {
  constexpr std::int64_t bands = 4;
  const TwoGroups two;
  const auto waves = share_of(waves_of_radius(2), true), all = waves_of_radius(3);
  const auto in = coefficients(waves, bands);
  const std::vector<Complex> factors(static_cast<std::size_t>(bands * bands), Complex(1, 0.5));
  for (const int members : std::set{1, ranks() % 2 == 0 ? 2 : 1, ranks()}) {
    std::vector<Miller> of_densities;
    const auto owners = balanced_owners(all, members);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (owners[i] == rank() % members) of_densities.push_back(all[i]);
    const auto sum_on = [&](MPI_Comm comm) {
      PairDensities<Complex> pairs(comm, shape, of_densities, {.fft = {.band_groups = ranks() / members}});
      const auto orbitals = pairs.orbitals(waves, in, bands);
      std::vector<Complex> sum(of_densities.size());
      pairs.sum(orbitals, orbitals, factors, sum, 1);
      return sum;
    };
    const auto before = sum_on(two.as_they_come.raw);
    const TopologySetting file(two.file());
    expect_close<Complex>(sum_on(two.comm.raw), before, 1e-12);
  }
}

}  // namespace
}  // namespace seiche::testing
