// SPDX-License-Identifier: BSD-3-Clause
/// \file  How ranks share a dense grid and its spectrum, and who exchanges with whom.
#pragma once

#include <array>
#include <vector>

#include "layout/process_grid.hpp"
#include "seiche/fft.hpp"

namespace seiche {

ProcessGrid dense_ranks(int size, const GridShape& shape, Decomposition wanted);

/// The layouts that values pass through, by rank: rows along x, columns along y, columns along z. Slabs have the first
/// two in one.
struct DenseLayouts {
  std::vector<Box> rows, middle, columns;
};
/// `nx`: points of the spectrum along x.
DenseLayouts dense_layouts(const ProcessGrid& ranks, int size, const GridShape& shape, std::int64_t nx);

/// The ranks that exchange rows for middle columns with `rank` (equal z), and those that exchange these for columns
/// along z (equal x); itself included, ascending. Idle ranks are alone.
std::vector<int> row_members(const ProcessGrid& ranks, int size, int rank);
std::vector<int> column_members(const ProcessGrid& ranks, int size, int rank);

std::vector<Box> boxes_of(const std::vector<int>& members, const std::vector<Box>& boxes);

/// Of the plan's own memory for a box, in complex values of `bytes` each.
std::array<std::int64_t, 3> padded_strides(const Box& box, std::size_t bytes);

/// Bytes of a field of so many bytes that a rank has for each of those that it exchanges with.
std::int64_t bytes_to_each(const ProcessGrid& grid, int ranks, std::int64_t bytes);

/// Chunks of equal size where callers leave it open and exchanges go on by themselves. `to_each`: bytes of a bundle for
/// each of the ranks of an exchange.
int usual_chunks(std::int64_t to_each, std::int64_t bundles);

}  // namespace seiche
