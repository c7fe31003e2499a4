// SPDX-License-Identifier: BSD-3-Clause
/// \file  How ranks share the two axes of a grid that are split.
#pragma once

#include <cstdint>

namespace seiche {

/// Ranks arranged as `slow` groups of `fast` members: rank = slow_index * fast + fast_index. Ranks beyond
/// slow x fast are idle: they own no grid points.
struct ProcessGrid {
  int slow = 1, fast = 1;
  bool active(int rank) const { return rank < slow * fast; }
  int slow_of(int rank) const { return rank / fast; }
  int fast_of(int rank) const { return rank % fast; }
};

/// The arrangement that gives the smallest largest share of n_slow x n_fast points; among equals, the one with most
/// groups along the slow axis. With `fast_split` false only the slow axis is split.
ProcessGrid arrange(int ranks, std::int64_t n_slow, std::int64_t n_fast, bool fast_split);

}  // namespace seiche
