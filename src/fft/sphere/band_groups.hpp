// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of bands over groups of ranks.
#pragma once

#include <cstdint>

namespace seiche {

/// `count` groups of `members` ranks each: rank = group * members + member. Group b % count transforms band b alone. A
/// bundle is `count` consecutive bands, one per group, which the groups transform at the same time.
struct BandGroups {
  int count = 1, members = 1;
  int group_of(int rank) const { return rank / members; }
  int member_of(int rank) const { return rank % members; }
  int rank_of(int group, int member) const { return group * members + member; }

  std::int64_t bundles(std::int64_t bands) const { return (bands + count - 1) / count; }
  std::int64_t band_of(std::int64_t bundle, int group) const { return bundle * count + group; }
  /// Returns how many of `bands` bands a group transforms. In the last bundle a group may have no band.
  std::int64_t bands_of(int group, std::int64_t bands) const { return bundles(bands - group); }
};

}  // namespace seiche
