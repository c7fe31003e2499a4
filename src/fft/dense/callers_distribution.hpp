// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of the caller's arrays over ranks, and the number of fields that are transformed together.
#pragma once

#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/dense_arrays.hpp"

namespace seiche {

/// Parts of all ranks.
struct CallersDistribution {
  std::vector<Range> z;  ///< planes of the grid
  std::vector<Range> y;  ///< columns along z, for their 1D FFTs
  /// Whether the spectrum has the planes of the grid. Then 1D FFTs along y are last, after a second exchange.
  bool returns = false;
  bool ascending = true;      ///< planes are in the order of ranks
  bool side_by_side = false;  ///< fields of a point are closer than neighbouring points
};

/// Collective. Returns the distribution. `nx`: number of points of the spectrum along x. \throws Error if the boxes do
/// not form the grid and its spectrum
CallersDistribution distribution_of(const Communicator& comm, const GridShape& shape, std::int64_t nx,
                                    const DenseArrays& arrays);

/// Fields that are transformed together in the plan's memory. At each point their values are contiguous, or each field
/// has separate planes at each z.
struct Bundle {
  std::int64_t in_point = 1, in_plane = 1;
  std::int64_t fields() const { return in_point * in_plane; }
};

/// Returns the bundle for arrays of complex values of `element` bytes. `to_each`: bytes of one field in a message.
Bundle bundle_of(const DenseArrays& arrays, bool side_by_side, bool real, std::size_t element, std::int64_t to_each);

}  // namespace seiche
