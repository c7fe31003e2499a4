// SPDX-License-Identifier: BSD-3-Clause
/// \file  Boxes of grids in arrays of the caller. All functions are local. Any thread may call them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// A box of each field on this rank, and its layout in memory. Strides count elements of the array (real or complex).
struct FieldArray {
  Box box{};                             ///< may be empty
  std::array<std::int64_t, 3> stride{};  ///< between neighbouring points along x, y and z
  std::int64_t field_stride = 0;         ///< between neighbouring fields
  std::int64_t offset = 0;               ///< index of the first point of the first field
};

/// Returns the layout [z][y][x][field]: the fields of a point are contiguous.
FieldArray interleaved(const Box& box, std::int64_t fields);
/// Returns the layout [field][z][y][x]: each field is contiguous.
FieldArray consecutive(const Box& box);

/// Returns a box with padded rows and planes: x fastest, `ldx` elements between rows and `ldx * ldy` between planes.
/// \throws Error if ldx or ldy is smaller than the box
FieldArray padded(const Box& box, std::int64_t ldx, std::int64_t ldy);

/// A matrix in the 2D block-cyclic distribution of ScaLAPACK. The first block belongs to process (0, 0).
struct BlockCyclic {
  std::int64_t rows = 0, columns = 0;              ///< size of the matrix
  std::int64_t block_rows = 1, block_columns = 1;  ///< size of a block
  int process_rows = 1, process_columns = 1;       ///< size of the process grid
};
/// Returns the blocks of a process as boxes of the grid {rows, columns, 1}: x is the row, y is the column. The local
/// matrix is stored by columns, with `leading_dimension` elements between them.
/// \throws Error for sizes that are not positive, or a leading dimension that is too small
std::vector<FieldArray> blocks_of_process(const BlockCyclic& layout, int row, int column,
                                          std::int64_t leading_dimension);

}  // namespace seiche
