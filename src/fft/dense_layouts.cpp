// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense_layouts.hpp"

#include <algorithm>

#include "fft/decomposition.hpp"

namespace seiche {

namespace {

/// The active ranks that `same` says are with `rank`.
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

}  // namespace seiche
