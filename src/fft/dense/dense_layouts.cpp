// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/dense_layouts.hpp"

#include <algorithm>

#include "fft/dense/decomposition.hpp"
#include "fft/lines/tiles.hpp"

namespace seiche {

namespace {

/// Returns the active ranks for which `same` is true.
template <class Same>
std::vector<int> members(const ProcessGrid& ranks, int size, int rank, const Same& same) {
  if (!ranks.active(rank)) return {rank};
  std::vector<int> found;
  for (int r = 0; r < size; ++r) {
    if (ranks.active(r) && same(r)) found.push_back(r);
  }
  return found;
}

}  // namespace

ProcessGrid dense_ranks(int size, const GridShape& shape, Decomposition wanted) {
  return arranged(size, shape, wanted, std::min(shape.nz, shape.ny));
}

DenseLayouts dense_layouts(const ProcessGrid& ranks, int size, const GridShape& shape, std::int64_t nx) {
  DenseLayouts layouts;
  for (int r = 0; r < size; ++r) {
    Box rows, middle, columns;
    if (ranks.active(r)) {
      const int i = ranks.slow_of(r), j = ranks.fast_of(r);
      const Range x = block(nx, ranks.fast, j), z = block(shape.nz, ranks.slow, i);
      rows = {{Range{0, nx}, block(shape.ny, ranks.fast, j), z}};
      middle = {{x, Range{0, shape.ny}, z}};
      columns = {{x, block(shape.ny, ranks.slow, i), Range{0, shape.nz}}};
    }
    layouts.rows.push_back(rows);
    layouts.middle.push_back(middle);
    layouts.columns.push_back(columns);
  }
  return layouts;
}

std::vector<int> row_members(const ProcessGrid& ranks, int size, int rank) {
  return members(ranks, size, rank, [&](int r) { return ranks.slow_of(r) == ranks.slow_of(rank); });
}

std::vector<int> column_members(const ProcessGrid& ranks, int size, int rank) {
  return members(ranks, size, rank, [&](int r) { return ranks.fast_of(r) == ranks.fast_of(rank); });
}

std::vector<Box> boxes_of(const std::vector<int>& members, const std::vector<Box>& boxes) {
  std::vector<Box> some;
  for (const int r : members) some.push_back(boxes[static_cast<std::size_t>(r)]);
  return some;
}

/// Rows are whole cache lines and planes whole rows, an odd number of each. Then planes are an odd number of cache
/// lines apart, too.
std::array<std::int64_t, 3> padded_strides(const Box& box, std::size_t bytes) {
  const std::int64_t row = padded_row(box.size(0), bytes);
  return {1, row, row * (box.size(1) | 1)};
}

std::int64_t bytes_to_each(const ProcessGrid& grid, int ranks, std::int64_t bytes) {
  return bytes / (std::int64_t{ranks} * std::max(grid.slow, grid.fast));
}

/// The first and the last chunk do not overlap with computation. So many chunks are better than few, unless messages
/// become too small. Fewer are needed if bundles overlap as well.
int usual_chunks(std::int64_t to_each, std::int64_t bundles) {
  constexpr std::int64_t message = 90'000, few = 4, many = 12;  // from measurements
  const auto shared = [bundles](std::int64_t chunks) { return (chunks + bundles - 1) / bundles; };
  return static_cast<int>(std::clamp(to_each / message, shared(few), shared(many)));
}

}  // namespace seiche
