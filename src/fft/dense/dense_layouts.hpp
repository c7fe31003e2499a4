// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of a dense grid and its spectrum over ranks, and the groups of ranks that exchange data.
#pragma once

#include <array>
#include <vector>

#include "layout/process_grid.hpp"
#include "seiche/fft.hpp"

namespace seiche {

ProcessGrid dense_ranks(int size, const GridShape& shape, Decomposition wanted);

/// Layouts of a transform, by rank: rows along x, columns along y, columns along z. For slabs the first two are the
/// same.
struct DenseLayouts {
  std::vector<Box> rows, middle, columns;
};
/// Returns the layouts. `nx`: number of points of the spectrum along x.
DenseLayouts dense_layouts(const ProcessGrid& ranks, int size, const GridShape& shape, std::int64_t nx);

/// Returns the ranks that exchange rows for columns along y with `rank` (equal z), or columns along y for columns along
/// z (equal x). The list is ascending and includes `rank`. An idle rank is alone.
std::vector<int> row_members(const ProcessGrid& ranks, int size, int rank);
std::vector<int> column_members(const ProcessGrid& ranks, int size, int rank);

std::vector<Box> boxes_of(const std::vector<int>& members, const std::vector<Box>& boxes);

/// Returns the strides of the plan's memory for a box, in complex values of `bytes` bytes.
std::array<std::int64_t, 3> padded_strides(const Box& box, std::size_t bytes);

/// Returns the bytes that a rank sends to each other rank, for a field of `bytes` bytes.
std::int64_t bytes_to_each(const ProcessGrid& grid, int ranks, std::int64_t bytes);

/// Returns the default number of equal chunks for non-blocking algorithms. `to_each`: bytes of a bundle for each rank
/// of an exchange.
int usual_chunks(std::int64_t to_each, std::int64_t bundles);

}  // namespace seiche
