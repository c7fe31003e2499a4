// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of bands over groups of ranks.
#pragma once

#include <cstdint>

namespace seiche {

/// `count` groups of `members` ranks each: rank = group * members + member. Group b % count transforms band b alone. A
/// bundle is `count * batch` consecutive bands, `batch` per group, which the groups transform at the same time.
struct BandGroups {
  int count = 1, members = 1;
  int batch = 1;
  int group_of(int rank) const { return rank / members; }
  int member_of(int rank) const { return rank % members; }
  int rank_of(int group, int member) const { return group * members + member; }

  std::int64_t bands_of_bundle() const { return std::int64_t{count} * batch; }
  std::int64_t bundles(std::int64_t bands) const { return (bands + bands_of_bundle() - 1) / bands_of_bundle(); }
  /// `i`: number of the band in its batch.
  std::int64_t band_of(std::int64_t bundle, int group, int i) const { return (bundle * batch + i) * count + group; }
  /// Returns how many of `bands` bands a group transforms. In the last bundle a group may have fewer bands.
  std::int64_t bands_of(int group, std::int64_t bands) const { return (bands - group + count - 1) / count; }
};

}  // namespace seiche
