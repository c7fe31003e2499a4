// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of a dense grid and its spectrum over ranks: process grids, layouts of the plan, and layouts of
/// the caller's arrays.
#pragma once

#include <array>
#include <vector>

#include "layout/process_grid.hpp"
#include "seiche/communicator.hpp"
#include "seiche/dense_arrays.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// All decompositions except `automatic`.
inline constexpr std::array all_decompositions{Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz};

/// Returns the process grid. `automatic` selects slabs for at most `planes` ranks. Pencils become slabs if there are
/// too few ranks or points.
ProcessGrid arranged(int ranks, const GridShape& shape, Decomposition wanted, std::int64_t planes);

/// Returns the decomposition of a process grid.
Decomposition decomposition_of(const ProcessGrid& grid);

ProcessGrid dense_ranks(int size, const GridShape& shape, Decomposition wanted);

/// Layouts of a transform, by rank: rows along x, columns of points and of waves along y, columns along z. For slabs
/// the first three are the same.
struct DenseLayouts {
  std::vector<Box> rows, middle, middle_waves, columns;
};
/// Returns the layouts. `nx`, `ny`: number of waves along x and y.
DenseLayouts dense_layouts(const ProcessGrid& ranks, int size, const GridShape& shape, std::int64_t nx,
                           std::int64_t ny);

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
