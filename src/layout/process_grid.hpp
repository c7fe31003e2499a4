// SPDX-License-Identifier: BSD-3-Clause
/// \file  How ranks share the two axes of a grid that are split.
#pragma once

#include <cstdint>

namespace seiche {

/// Ranks arranged as `slow` x `fast`. Neighbouring ranks, which are likely to share a node, have parts side by side
/// along the fast axis, or the slow one if `slow_together`. Ranks beyond slow x fast are idle: they own no grid points.
struct ProcessGrid {
  int slow = 1, fast = 1;
  bool slow_together = false;
  bool active(int rank) const { return rank < slow * fast; }
  int slow_of(int rank) const { return slow_together ? rank % slow : rank / fast; }
  int fast_of(int rank) const { return slow_together ? rank / slow : rank % fast; }
};

/// Which axes are split: the slow one; whichever leave the smallest largest share; both, as far as ranks and points
/// allow.
enum class Split { slow, balanced, both };

/// The arrangement that gives the smallest largest share of n_slow x n_fast points; among equals, the one with most
/// parts along the slow axis.
ProcessGrid arrange(int ranks, std::int64_t n_slow, std::int64_t n_fast, Split split);

}  // namespace seiche
