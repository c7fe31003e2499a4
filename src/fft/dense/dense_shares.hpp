// SPDX-License-Identifier: BSD-3-Clause
/// \file  How callers' arrays share a dense grid among ranks, and how many of their fields go through together.
#pragma once

#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/dense_arrays.hpp"

namespace seiche {

/// What each rank holds.
struct DenseShares {
  std::vector<Range> z;  ///< planes of the grid
  std::vector<Range> y;  ///< columns along z, for their lines
  /// The spectrum lies as the grid does: y lines come last, after the way back.
  bool returns = false;
  bool ascending = true;      ///< planes follow each other in the order of ranks
  bool side_by_side = false;  ///< fields of a point lie closer than points
};

/// Collective. `nx`: points of the spectrum along x. \throws Error when the boxes are not the grid and its spectrum
DenseShares shares_of(const Communicator& comm, const GridShape& shape, std::int64_t nx, const DenseArrays& arrays);

/// Fields that go through together, in the plan's own memory: side by side at each point, or in planes of their own at
/// each z.
struct Bundle {
  std::int64_t in_point = 1, in_plane = 1;
  std::int64_t fields() const { return in_point * in_plane; }
};

/// For arrays of values of `element` bytes (complex), of which a message carries `to_each` bytes of one field.
Bundle bundle_of(const DenseArrays& arrays, bool side_by_side, bool real, std::size_t element, std::int64_t to_each);

}  // namespace seiche
