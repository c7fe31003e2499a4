// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of the grid of a sphere's transform over ranks, and the routes between its layouts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fft/sphere/sticks.hpp"
#include "layout/process_grid.hpp"
#include "layout/route.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Returns the process grid. The slow axis has ranges of z. For pencils, the fast axis has ranges of y, and of columns
/// x.
ProcessGrid sphere_ranks(int size, const GridShape& shape, Decomposition wanted);

/// The distribution of a grid over the ranks of a band group.
struct SphereGrid {
  ProcessGrid ranks;
  std::vector<Range> z;  ///< planes of each place on the slow axis

  const Range& planes_of(int rank) const { return z[static_cast<std::size_t>(ranks.slow_of(rank))]; }
  /// Returns the grid points of a rank.
  Box box_of(int rank, const GridShape& shape) const;
};

/// Returns the distribution over `size` ranks. \throws Error if `options.slabs` does not fit them and the grid
SphereGrid sphere_grid(int size, const GridShape& shape, const FftOptions& options);

/// Returns the route from the caller's coefficients to the ranks of their sticks.
Route route_to_sticks(const StickMap& map);

/// Returns the stride between neighbouring z, in elements, for a range of sticks.
using PitchOf = std::function<std::int64_t(const Range& sticks)>;

/// Returns the route from sticks (source) to planes (target). Each rank receives its range of z of the sticks in its
/// group of columns. Source memory is [group][z][stick], target memory is [source rank][z][stick].
Route route_to_planes(const StickMap& map, const SphereGrid& grid, int rank, std::int64_t nz, const PitchOf& pitch_of);

/// Returns the route from planes of some columns (source) to rows of all columns (target), among ranks with the same
/// range of z. Source memory is [z][y][column]. Rows of member j have `pitch[j]` elements.
Route route_to_rows(int members, int member, std::int64_t planes, std::int64_t ny,
                    const std::vector<std::int64_t>& pitch);

}  // namespace seiche
