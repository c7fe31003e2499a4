// SPDX-License-Identifier: BSD-3-Clause
/// \file  Matrices in other blocks than their users': which blocks come together, and that no element is lost.
#include "blocksparse/matrix/regroup.hpp"

#include <numeric>
#include <set>

#include "blocksparse/samples.hpp"
#include "comm/agree.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::number;

/// Blocks (rows of each) whose elements are the numbers of `testing::number` with the given size between blocks.
template <class Value, class Strength>
BlockMatrix<Value> coupled(MPI_Comm comm, const BlockSizes& sizes, const Strength& strength) {
  const auto starts = starts_of(sizes);
  const auto block_of = [&](std::int64_t row) {
    return static_cast<std::int32_t>(std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1);
  };
  return from_function<Value>(
      make_layout(comm, sizes, sizes),
      [&](std::int32_t i, std::int32_t j) { return strength(std::min(i, j), std::max(i, j)) != 0; },
      [&](std::int64_t row, std::int64_t column) {
        const std::int32_t i = block_of(row), j = block_of(column);
        const auto factor = static_cast<Real<Value>>(strength(std::min(i, j), std::max(i, j)));
        return factor * (Value(2) + number<Value>(row, column, 3));
      });
}

/// The user's blocks in each of the others.
std::vector<std::set<std::int32_t>> members(const Regrouping& groups) {
  std::vector<std::set<std::int32_t>> all;
  const Regrouping back = groups.inverse();
  for (std::size_t g = 0; g < groups.sizes().size(); ++g) {
    auto& blocks = all.emplace_back();
    for (const BlockSegment& s : back.of(static_cast<std::int32_t>(g))) blocks.insert(s.block);
  }
  return all;
}

SharedLayout layout_for(const Regrouping& groups) {
  return make_layout(MPI_COMM_WORLD, groups.sizes(), groups.sizes());
}

// Atoms of 4, 1 and 1 rows, those of a molecule far apart in the list: i, i + 20, i + 40.
BlockSizes atoms() {
  BlockSizes sizes(60, 1);
  std::fill_n(sizes.begin(), 20, 4);
  return sizes;
}
double in_molecules(std::int32_t i, std::int32_t j) {
  if (i == j) return 1;
  return i % 20 == j % 20 ? 0.5 : std::abs(i % 20 - j % 20) == 1 ? 0.01 : 0;
}

TEST(Regroup, MoleculesComeTogether) {
  const auto m = coupled<double>(MPI_COMM_WORLD, atoms(), in_molecules);
  const Regrouping groups = efficient_blocks(m);
  EXPECT_TRUE(groups.changes());
  for (const std::int32_t size : groups.sizes()) {
    EXPECT_LE(size, 24);
    EXPECT_GE(size, 6);
  }
  EXPECT_LE(groups.sizes().size(), 10u);  // two molecules of 6 rows, and more, fit into each
  for (const auto& group : members(groups)) {
    for (const std::int32_t atom : group) {
      EXPECT_TRUE(group.contains(atom % 20) && group.contains(atom % 20 + 20) && group.contains(atom % 20 + 40));
    }
  }
  compared(std::ssize(groups.sizes()));
}

// Four chains of 24 single rows, listed one after another; each row is coupled most to its like in the next chain.
TEST(Regroup, NeighboursInTheListComeTogetherWhereThatFillsNoMore) {
  const auto in_chains = [](std::int32_t i, std::int32_t j) {
    if (i / 24 == j / 24) return i == j ? 1.0 : 0.1;
    return i % 24 == j % 24 && i / 48 == j / 48 ? 0.9 : 0.0;
  };
  const Regrouping groups = efficient_blocks(coupled<double>(MPI_COMM_WORLD, BlockSizes(96, 1), in_chains));
  EXPECT_EQ(groups.sizes(), BlockSizes(4, 24));
  for (const auto& group : members(groups)) EXPECT_EQ(*group.rbegin() - *group.begin(), 23);
  compared(5);
}

TEST(Regroup, GroupsAreTheSameOnAnyRanks) {
  const auto strength = [](std::int32_t i, std::int32_t j) { return std::abs(i - j) < 40 ? 1.0 / (1 + j - i) : 0.0; };
  const BlockSizes sizes = testing::mixed(90, 1);
  const auto here = members(efficient_blocks(coupled<float>(MPI_COMM_WORLD, sizes, strength)));
  const auto alone = members(efficient_blocks(coupled<float>(MPI_COMM_SELF, sizes, strength)));
  EXPECT_EQ(here, alone);
  compared(std::ssize(here));
}

TEST(Regroup, SizesThatAreGoodStay) {
  const auto everywhere = [](std::int32_t, std::int32_t) { return 1.0; };
  EXPECT_FALSE(efficient_blocks(coupled<double>(MPI_COMM_WORLD, {16, 23, 48, 17}, everywhere)).changes());
  const Regrouping cut = efficient_blocks(coupled<double>(MPI_COMM_WORLD, {16, 49, 15, 96}, everywhere));
  EXPECT_EQ(cut.sizes(), (BlockSizes{16, 16, 16, 17, 15, 24, 24, 24, 24}));
  const Regrouping joined = efficient_blocks(coupled<double>(MPI_COMM_WORLD, {16, 4, 4}, everywhere));
  EXPECT_EQ(joined.sizes(), (BlockSizes{16, 8})) << "only small blocks join, though 20 rows would do";
  compared(3);
}

TEST(Regroup, WhatIsCoupledToNothingIsJoinedInTurn) {
  const auto diagonal = [](std::int32_t i, std::int32_t j) { return i == j ? 1.0 : 0.0; };
  const Regrouping groups = efficient_blocks(coupled<double>(MPI_COMM_WORLD, BlockSizes(50, 1), diagonal));
  EXPECT_EQ(groups.sizes(), (BlockSizes{24, 24, 2}));
  EXPECT_EQ(members(groups)[1].count(24), 1u);
  compared(3);
}

template <class Value>
class RegroupValues : public ::testing::Test {};
using Values = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RegroupValues, Values);

TYPED_TEST(RegroupValues, EachElementMovesWithItsRowAndColumn) {
  using Value = TypeParam;
  const BlockSizes sizes{3, 100, 1, 5, 1, 7, 30, 2, 60};
  const auto strength = [](std::int32_t i, std::int32_t j) { return (i + j) % 3 == 1 ? 0.0 : 1.0 / (2 + i + j); };
  auto m = coupled<Value>(MPI_COMM_WORLD, sizes, strength);
  set_error_bound(m, 0.25);
  const Regrouping groups = efficient_blocks(m);
  const auto regrouped = regroup(m, groups, groups, layout_for(groups));
  EXPECT_EQ(regrouped.error_bound(), 0.25);

  const auto starts = starts_of(sizes), places = starts_of(groups.sizes());
  std::vector<std::int64_t> place(static_cast<std::size_t>(starts.back()));
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    for (const BlockSegment& s : groups.of(static_cast<std::int32_t>(b))) {
      for (std::int32_t row = 0; row < s.size; ++row) {
        place[static_cast<std::size_t>(starts[b] + s.here + row)] =
            places[static_cast<std::size_t>(s.block)] + s.there + row;
      }
    }
  }
  std::vector<std::int64_t> each = place;
  std::sort(each.begin(), each.end());
  for (std::size_t n = 0; n < each.size(); ++n) ASSERT_EQ(each[n], static_cast<std::int64_t>(n));
  const auto before = to_dense(m), after = to_dense(regrouped);
  const auto n = static_cast<std::size_t>(starts.back());
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = 0; row < n; ++row) {
      ASSERT_EQ(after[static_cast<std::size_t>(place[column]) * n + static_cast<std::size_t>(place[row])],
                before[column * n + row]);
    }
  }
  const Regrouping back = groups.inverse();
  EXPECT_EQ(to_dense(regroup(regrouped, back, back, m.shared_layout())), before);
  compared(static_cast<std::int64_t>(before.size()));
}

TEST(Regroup, ZeroPartsOfACutBlockAreLeftOut) {
  const BlockSizes sizes{96};
  const auto m = from_function<double>(
      make_layout(MPI_COMM_WORLD, sizes, sizes), [](std::int32_t, std::int32_t) { return true; },
      [](std::int64_t row, std::int64_t column) { return row == 95 && column == 0 ? 1.0 : 0.0; });
  const Regrouping groups = efficient_blocks(m);
  const auto parts = regroup(m, groups, groups, layout_for(groups));
  EXPECT_EQ(sum(parts.layout().comm, parts.local_blocks()), 1);
  if (const auto block = parts.block(3, 0)) {
    EXPECT_EQ(block(23, 0), 1.0);
  }
  compared(1);
}

TEST(Regroup, StoredTrianglesBecomeWhole) {
  const BlockSizes sizes = atoms();
  BlockMatrix<double> half(make_layout(MPI_COMM_WORLD, sizes, sizes), Symmetry::symmetric);
  std::vector<BlockPlace> mine;
  for (std::int32_t i = 0; i < 60; ++i) {
    if (half.layout().owner(i, i) == testing::rank()) mine.push_back({i, i});
    if (i < 40 && half.layout().owner(i, i + 20) == testing::rank()) mine.push_back({i, i + 20});
  }
  half.reserve(std::move(mine));
  auto values = half.change_values();
  std::iota(values.begin(), values.end(), 1.0 + 1000 * testing::rank());
  const Regrouping groups = efficient_blocks(half);
  const auto whole = regroup(half, groups, groups, layout_for(groups));
  const Regrouping back = groups.inverse();
  EXPECT_EQ(to_dense(regroup(whole, back, back, half.shared_layout())), to_dense(half));
  for (const auto& group : members(groups)) {
    for (const std::int32_t atom : group) EXPECT_TRUE(group.contains(atom % 20) && group.contains(atom % 20 + 40));
  }
  compared(1);
}

}  // namespace
}  // namespace seiche
