// SPDX-License-Identifier: BSD-3-Clause
/// \file  How ranks share the grid of a sphere's transform, and the routes between its layouts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fft/sphere/sticks.hpp"
#include "layout/process_grid.hpp"
#include "layout/route.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Ranges of z on the slow axis of the ranks; for pencils, ranges of y (and of columns x) on the fast one.
ProcessGrid sphere_ranks(int size, const GridShape& shape, Decomposition wanted);

/// The grid points of one rank.
Box grid_box_of(const ProcessGrid& ranks, int rank, const GridShape& shape);

/// From the caller's waves to the ranks of their sticks.
Route route_to_sticks(const StickMap& map);

/// Elements from one z to the next of the z lines of these sticks.
using PitchOf = std::function<std::int64_t(const Range& sticks)>;

/// From z lines of sticks (near) to planes (far): to each rank its range of z of the sticks of its group of columns.
/// Near memory is [group][z][stick], target memory [rank of origin][z][stick].
Route route_to_planes(const StickMap& map, const ProcessGrid& ranks, int rank, std::int64_t nz,
                      const PitchOf& pitch_of);

/// From planes of some columns (near) to rows of all columns (far), among the ranks that share a range of z. Near
/// memory is [z][y][column] with `pitch[j]` elements per row on member j.
Route route_to_rows(int members, int member, std::int64_t planes, std::int64_t ny,
                    const std::vector<std::int64_t>& pitch);

}  // namespace seiche
