// SPDX-License-Identifier: BSD-3-Clause
/// \file  Scales and adds matrices, and sums over their elements.
#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/matrix/sums.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
void scale(BlockMatrix<Value>& matrix, std::type_identity_t<Value> factor) {
  for (Value& v : matrix.change_values()) v *= factor;
  inside(matrix).error_bound *= std::abs(factor);
}

namespace {

/// Returns the blocks of either matrix.
template <class Value>
std::vector<BlockPlace> places_of_both(const BlockMatrix<Value>& x, const BlockMatrix<Value>& y) {
  std::vector<BlockPlace> places;
  std::vector<std::int32_t> columns;
  const CompressedRows &of_x = inside(x).blocks, &of_y = inside(y).blocks;
  for (std::int64_t r = 0; r < of_x.rows(); ++r) {
    columns.clear();
    std::set_union(of_x.index.begin() + of_x.start[r], of_x.index.begin() + of_x.start[r + 1],
                   of_y.index.begin() + of_y.start[r], of_y.index.begin() + of_y.start[r + 1],
                   std::back_inserter(columns));
    for (const std::int32_t column : columns) places.push_back({x.rows()[r], column});
  }
  return places;
}

/// Computes into += factor * from; `into` has all blocks of `from`.
template <class Value>
void add_blocks(Value factor, const BlockMatrix<Value>& from, BlockMatrix<Value>& into) {
  Value* const values = into.change_values().data();
  const CompressedRows& blocks = inside(into).blocks;
  std::int64_t target = 0;
  each_block(from, [&](const StoredBlock& b) {
    target = std::max(target, blocks.start[b.row_number]);
    while (blocks.index[target] != b.at.column) ++target;
    Value* const to = values + into.offset()[target];
    const Value* const v = from.values().data() + b.offset;
    for (std::int64_t k = 0; k < b.size(); ++k) to[k] += factor * v[k];
  });
}

/// Calls work(position of the element in the values) for the diagonal elements of a diagonal block.
template <class Work>
void each_diagonal_element(const StoredBlock& b, const Work& work) {
  for (std::int64_t k = 0; b.on_diagonal() && k < b.rows; ++k) work(b.offset + k * (b.rows + 1));
}

/// Adds the missing diagonal blocks.
template <class Value>
void complete_diagonal(BlockMatrix<Value>& matrix) {
  std::vector<BlockPlace> mine;
  for (const std::int32_t i : matrix.rows()) {
    if (matrix.layout().owner(i, i) == matrix.layout().comm.rank()) mine.push_back({i, i});
  }
  std::int64_t present = 0;
  each_block(matrix, [&](const StoredBlock& b) { present += b.on_diagonal() ? 1 : 0; });
  if (present == std::ssize(mine)) return;
  BlockMatrix<Value> diagonal(matrix.shared_layout(), matrix.symmetry());
  diagonal.reserve(std::move(mine));
  matrix = add(1, matrix, 1, diagonal);
}

}  // namespace

template <class Value>
BlockMatrix<Value> add(std::type_identity_t<Value> a, const BlockMatrix<Value>& x, std::type_identity_t<Value> b,
                       const BlockMatrix<Value>& y) {
  require(same_layout(x.layout(), y.layout()) && x.symmetry() == y.symmetry(), Fault::bad_argument,
          "matrices of different layout or symmetry cannot be added: redistribute one of them first");
  BlockMatrix<Value> sum(x.shared_layout(), x.symmetry());
  sum.reserve(places_of_both(x, y));
  add_blocks(a, x, sum);
  add_blocks(b, y, sum);
  set_error_bound(sum, std::abs(a) * x.error_bound() + std::abs(b) * y.error_bound());
  return sum;
}

template <class Value>
void add_to_diagonal(BlockMatrix<Value>& matrix, std::type_identity_t<Value> factor) {
  complete_diagonal(matrix);
  Value* const values = matrix.change_values().data();
  each_block(matrix, [&](const StoredBlock& b) {
    each_diagonal_element(b, [&](std::int64_t element) { values[element] += factor; });
  });
}

template <class Value>
double trace(const BlockMatrix<Value>& matrix) {
  return exact_sum(matrix.layout().comm, [&] {
    std::vector<double> terms;
    each_block(matrix, [&](const StoredBlock& b) {
      each_diagonal_element(b, [&](std::int64_t element) { terms.push_back(real_part(matrix.values()[element])); });
    });
    return terms;
  });
}

template <class Value>
double trace_of_product(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b) {
  return exact_sum(a.layout().comm, [&] {
    require(same_layout(a.layout(), b.layout()) && a.symmetry() == Symmetry::none && b.symmetry() == Symmetry::none,
            Fault::bad_argument,
            "the trace of a product needs two matrices of the same layout that store all their blocks");
    std::vector<double> terms;
    each_block(a, [&](const StoredBlock& block) {
      const std::int64_t partner = inside(b).blocks.find(block.row_number, block.at.column);
      if (partner < 0) return;
      const Value *x = a.values().data() + block.offset, *y = b.values().data() + b.offset()[partner];
      double term = 0;
      for (std::int64_t n = 0; n < block.size(); ++n) term += real_part(conjugate(x[n]) * y[n]);
      terms.push_back(term);
    });
    return terms;
  });
}

template <class Value>
double frobenius_norm(const BlockMatrix<Value>& matrix) {
  return std::sqrt(exact_sum(matrix.layout().comm, [&] {
    std::vector<double> terms;
    each_block(matrix, [&](const StoredBlock& b) {
      const double times = matrix.symmetry() != Symmetry::none && !b.on_diagonal() ? 2 : 1;
      terms.push_back(times * sum_of_squares(matrix.values().data() + b.offset, b.size()));
    });
    return terms;
  }));
}

#define SEICHE_ALGEBRA(Value)                                                                          \
  template void scale(BlockMatrix<Value>&, Value);                                                     \
  template BlockMatrix<Value> add(Value, const BlockMatrix<Value>&, Value, const BlockMatrix<Value>&); \
  template void add_to_diagonal(BlockMatrix<Value>&, Value);                                           \
  template double trace(const BlockMatrix<Value>&);                                                    \
  template double trace_of_product(const BlockMatrix<Value>&, const BlockMatrix<Value>&);              \
  template double frobenius_norm(const BlockMatrix<Value>&)
SEICHE_ALGEBRA(float);
SEICHE_ALGEBRA(double);
SEICHE_ALGEBRA(std::complex<float>);
SEICHE_ALGEBRA(std::complex<double>);

}  // namespace seiche
