// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common layouts of boxes in arrays.
#include <algorithm>

#include "seiche/field_array.hpp"
#include "support/require.hpp"

namespace seiche {

FieldArray interleaved(const Box& box, std::int64_t fields) {
  return {box, {fields, fields * box.size(0), fields * box.size(0) * box.size(1)}, 1};
}
FieldArray consecutive(const Box& box) { return {box, {1, box.size(0), box.size(0) * box.size(1)}, box.volume()}; }

FieldArray padded(const Box& box, std::int64_t ldx, std::int64_t ldy) {
  require(box.empty() || (ldx >= box.size(0) && ldy >= box.size(1)), Fault::bad_argument,
          "boxes: the padded sizes {} and {} are smaller than the box ({} x {})", ldx, ldy, box.size(0), box.size(1));
  return {box, {1, ldx, ldx * ldy}, ldx * ldy * box.size(2), 0};
}

std::vector<FieldArray> blocks_of_process(const BlockCyclic& layout, int row, int column,
                                          std::int64_t leading_dimension) {
  require(layout.rows >= 0 && layout.columns >= 0 && layout.block_rows > 0 && layout.block_columns > 0 &&
              layout.process_rows > 0 && layout.process_columns > 0,
          Fault::bad_argument,
          "boxes: sizes of a block-cyclic matrix must be positive (got {} x {} elements, {} x {} per block, {} x {} "
          "processes)",
          layout.rows, layout.columns, layout.block_rows, layout.block_columns, layout.process_rows,
          layout.process_columns);
  require(row >= 0 && row < layout.process_rows && column >= 0 && column < layout.process_columns, Fault::bad_argument,
          "boxes: process ({}, {}) is not in the grid of {} x {} processes", row, column, layout.process_rows,
          layout.process_columns);
  std::vector<FieldArray> blocks;
  std::int64_t local_column = 0, local_rows = 0;
  for (std::int64_t j = column * layout.block_columns; j < layout.columns;
       j += layout.process_columns * layout.block_columns) {
    const std::int64_t columns = std::min(layout.block_columns, layout.columns - j);
    local_rows = 0;
    for (std::int64_t i = row * layout.block_rows; i < layout.rows; i += layout.process_rows * layout.block_rows) {
      const std::int64_t rows = std::min(layout.block_rows, layout.rows - i);
      const std::int64_t plane =
          std::max<std::int64_t>(leading_dimension, 1) * std::max<std::int64_t>(layout.columns, 1);
      blocks.push_back({Box{{Range{i, i + rows}, Range{j, j + columns}, Range{0, 1}}},
                        {1, leading_dimension, plane},
                        0,
                        local_rows + local_column * leading_dimension});
      local_rows += rows;
    }
    local_column += columns;
  }
  require(leading_dimension >= local_rows && leading_dimension > 0, Fault::bad_argument,
          "boxes: the leading dimension {} is smaller than the {} rows of this process", leading_dimension, local_rows);
  for (FieldArray& block : blocks) block.field_stride = leading_dimension * local_column;
  return blocks;
}

}  // namespace seiche
