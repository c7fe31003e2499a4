// SPDX-License-Identifier: BSD-3-Clause
/// \file  Creates matrices from functions of their elements, and gathers all elements on every rank.
#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "comm/agree.hpp"

namespace seiche {

template <class Value>
BlockMatrix<Value> from_function(SharedLayout layout, const std::function<bool(std::int32_t, std::int32_t)>& present,
                                 const std::function<Value(std::int64_t, std::int64_t)>& element) {
  BlockMatrix<Value> matrix(std::move(layout));
  const BlockLayout& of = matrix.layout();
  std::vector<BlockPlace> entries;
  for (const std::int32_t i : matrix.rows()) {
    for (std::int32_t j = 0; j < std::ssize(of.column_sizes); ++j) {
      if (of.column_owner[j] == of.grid_column() && present(i, j)) entries.push_back({i, j});
    }
  }
  matrix.reserve(std::move(entries));
  const auto row_at = starts_of(of.row_sizes), column_at = starts_of(of.column_sizes);
  Value* next = matrix.change_values().data();
  each_block(matrix, [&](const StoredBlock& b) {
    for (std::int64_t column = 0; column < b.columns; ++column) {
      for (std::int64_t row = 0; row < b.rows; ++row)
        *next++ = element(row_at[b.at.row] + row, column_at[b.at.column] + column);
    }
  });
  return matrix;
}

namespace {

/// The blocks of this rank as numbers: positions and shapes, and values in double precision.
struct BlockNumbers {
  std::vector<std::int64_t> shapes;  // first row, first column, rows, columns of each block
  std::vector<double> values;        // two for each complex value
};

template <class Value>
BlockNumbers numbers_of(const BlockMatrix<Value>& matrix) {
  const auto row_at = starts_of(matrix.layout().row_sizes), column_at = starts_of(matrix.layout().column_sizes);
  BlockNumbers mine;
  each_block(matrix, [&](const StoredBlock& b) {
    mine.shapes.insert(mine.shapes.end(), {row_at[b.at.row], column_at[b.at.column], b.rows, b.columns});
    for (const Value v : matrix.values().subspan(b.offset, b.size())) {
      mine.values.push_back(real_part(v));
      if (is_complex<Value>) mine.values.push_back(imaginary_part(v));
    }
  });
  return mine;
}

}  // namespace

template <class Value>
std::vector<Value> to_dense(const BlockMatrix<Value>& stored) {
  if (stored.symmetry() != Symmetry::none) return to_dense(redistribute(stored, stored.shared_layout()));
  const BlockLayout& layout = stored.layout();
  const BlockNumbers mine = made_together(layout.comm, [&] { return numbers_of(stored); });
  const auto shapes = join_all(layout.comm, mine.shapes);
  const auto values = join_all(layout.comm, mine.values);
  const std::int64_t rows = starts_of(layout.row_sizes).back(), columns = starts_of(layout.column_sizes).back();
  auto dense = made_together(layout.comm, [&] { return std::vector<Value>(rows * columns); });
  const double* next = values.data();
  for (std::size_t n = 0; n < shapes.size(); n += 4) {
    const std::int64_t first = shapes[n + 1] * rows + shapes[n];
    for (std::int64_t k = 0; k < shapes[n + 2] * shapes[n + 3]; ++k) {
      dense[first + k / shapes[n + 2] * rows + k % shapes[n + 2]] = value_of<Value>(next[0], next[is_complex<Value>]);
      next += is_complex<Value> ? 2 : 1;
    }
  }
  return dense;
}

#define SEICHE_DENSE(Value)                                                                                       \
  template BlockMatrix<Value> from_function(SharedLayout, const std::function<bool(std::int32_t, std::int32_t)>&, \
                                            const std::function<Value(std::int64_t, std::int64_t)>&);             \
  template std::vector<Value> to_dense(const BlockMatrix<Value>&)
SEICHE_DENSE(float);
SEICHE_DENSE(double);
SEICHE_DENSE(std::complex<float>);
SEICHE_DENSE(std::complex<double>);

}  // namespace seiche
