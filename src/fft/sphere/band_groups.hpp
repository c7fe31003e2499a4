// SPDX-License-Identifier: BSD-3-Clause
/// \file  How the ranks of a plan share out bands.
#pragma once

#include <cstdint>

namespace seiche {

/// `count` groups of `members` ranks: rank = group * members + member. Bands go round: group b % count transforms band
/// b alone. What the groups transform together, one band each, is a bundle.
struct BandGroups {
  int count = 1, members = 1;
  int group_of(int rank) const { return rank / members; }
  int member_of(int rank) const { return rank % members; }
  int rank_of(int group, int member) const { return group * members + member; }

  std::int64_t bundles(std::int64_t bands) const { return (bands + count - 1) / count; }
  std::int64_t band_of(std::int64_t bundle, int group) const { return bundle * count + group; }
  /// Of `bands` bands, those of one group. In the last bundle a group may have none.
  std::int64_t bands_of(int group, std::int64_t bands) const { return bundles(bands - group); }
};

}  // namespace seiche
