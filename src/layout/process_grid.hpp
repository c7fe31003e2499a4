// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of ranks over two axes of a grid.
#pragma once

#include <cstdint>

namespace seiche {

/// Ranks in a grid of `slow` x `fast`. Neighbouring ranks, which are likely to be on the same node, have neighbouring
/// parts along the fast axis, or along the slow one if `slow_together`. Ranks beyond slow x fast are idle: they own no
/// grid points.
struct ProcessGrid {
  int slow = 1, fast = 1;
  bool slow_together = false;
  bool active(int rank) const { return rank < slow * fast; }
  int slow_of(int rank) const { return slow_together ? rank % slow : rank / fast; }
  int fast_of(int rank) const { return slow_together ? rank / slow : rank % fast; }
};

/// Which axes are split: the slow one; the axes with the smallest maximum share; or both, if possible.
enum class Split { slow, balanced, both };

/// Returns the grid with the smallest maximum share of n_slow x n_fast points. Of several such grids, it is the one
/// with most parts along the slow axis.
ProcessGrid arrange(int ranks, std::int64_t n_slow, std::int64_t n_fast, Split split);

}  // namespace seiche
