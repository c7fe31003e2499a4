// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices: the existing blocks, their positions and sizes.
#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
BlockMatrix<Value>::BlockMatrix(SharedLayout layout, Symmetry symmetry)
    : layout_(std::move(layout)), symmetry_(symmetry), storage_(std::make_unique<BlockStorage<Value>>()) {
  require(symmetry == Symmetry::none || layout_->row_sizes == layout_->column_sizes, Fault::bad_argument,
          "a matrix that stores one triangle needs equal block sizes of rows and columns: store all blocks instead");
  for (std::size_t i = 0; i < layout_->row_sizes.size(); ++i) {
    if (layout_->row_owner[i] == layout_->grid_row()) storage_->rows.push_back(static_cast<std::int32_t>(i));
  }
  storage_->blocks.start.assign(storage_->rows.size() + 1, 0);
}

template <class Value>
BlockMatrix<Value>::BlockMatrix(const BlockMatrix& other)
    : layout_(other.layout_),
      symmetry_(other.symmetry_),
      storage_(std::make_unique<BlockStorage<Value>>(*other.storage_)) {}
template <class Value>
BlockMatrix<Value>& BlockMatrix<Value>::operator=(const BlockMatrix& other) {
  return *this = BlockMatrix(other);
}
template <class Value>
BlockMatrix<Value>::BlockMatrix(BlockMatrix&&) noexcept = default;
template <class Value>
BlockMatrix<Value>& BlockMatrix<Value>::operator=(BlockMatrix&&) noexcept = default;
template <class Value>
BlockMatrix<Value>::~BlockMatrix() = default;

template <class Value>
const std::vector<std::int32_t>& BlockMatrix<Value>::rows() const noexcept {
  return storage_->rows;
}
template <class Value>
const std::vector<std::int64_t>& BlockMatrix<Value>::row_start() const noexcept {
  return storage_->blocks.start;
}
template <class Value>
const std::vector<std::int32_t>& BlockMatrix<Value>::columns() const noexcept {
  return storage_->blocks.index;
}
template <class Value>
const std::vector<std::int64_t>& BlockMatrix<Value>::offset() const noexcept {
  return storage_->offset;
}
template <class Value>
std::span<const Value> BlockMatrix<Value>::values() const noexcept {
  return storage_->values;
}
template <class Value>
std::int64_t BlockMatrix<Value>::local_blocks() const noexcept {
  return storage_->blocks.entries();
}
template <class Value>
double BlockMatrix<Value>::error_bound() const noexcept {
  return storage_->error_bound;
}

template <class Value>
std::span<Value> BlockMatrix<Value>::change_values() {
  storage_->norms.clear();
  return storage_->values;
}

namespace {

bool inside_of(const BlockLayout& layout, const BlockPlace& at) {
  return at.row >= 0 && at.column >= 0 && at.row < std::ssize(layout.row_sizes) &&
         at.column < std::ssize(layout.column_sizes);
}

}  // namespace

template <class Value>
BlockView<const Value> BlockMatrix<Value>::block(std::int32_t i, std::int32_t j) const {
  require(inside_of(*layout_, {i, j}), Fault::bad_argument,
          "block ({}, {}) is outside a matrix of {} x {} blocks (indices start at 0)", i, j, layout_->row_sizes.size(),
          layout_->column_sizes.size());
  const auto& [rows, blocks, offset, values, norms, error_bound] = *storage_;
  const auto row = std::lower_bound(rows.begin(), rows.end(), i);
  if (row == rows.end() || *row != i) return {};
  const std::int64_t number = blocks.find(row - rows.begin(), j);
  if (number < 0) return {};
  return {values.data() + offset[number], layout_->row_sizes[i], layout_->column_sizes[j]};
}

template <class Value>
BlockView<Value> BlockMatrix<Value>::change_block(std::int32_t i, std::int32_t j) {
  const BlockView<const Value> found = block(i, j);
  if (!found) return {};
  return {change_values().data() + (found.data - storage_->values.data()), found.rows, found.columns};
}

template <class Value>
const std::vector<float>& BlockMatrix<Value>::norms() const {
  std::vector<float>& norms = storage_->norms;
  if (std::ssize(norms) == local_blocks()) return norms;
  norms.resize(local_blocks());
  const Value* const values = storage_->values.data();
  each_block(*this,
             [&](const StoredBlock& b) { norms[b.number] = norm_above(sum_of_squares(values + b.offset, b.size())); });
  return norms;
}

template <class Value>
std::int64_t BlockMatrix<Value>::memory() const noexcept {
  return bytes_taken(bytes_of(storage_->values)) + bytes_of(storage_->rows) + bytes_of(storage_->blocks) +
         bytes_of(storage_->offset) + bytes_of(storage_->norms);
}

namespace {

/// Sorts and removes duplicates.
void put_in_order(std::vector<BlockPlace>& entries) {
  const auto before = [](const BlockPlace& a, const BlockPlace& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  };
  const auto same = [](const BlockPlace& a, const BlockPlace& b) { return a.row == b.row && a.column == b.column; };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

void require_place(const BlockLayout& layout, Symmetry symmetry, const BlockPlace& at) {
  require(inside_of(layout, at) && layout.owner(at.row, at.column) == layout.comm.rank(), Fault::bad_argument,
          "block ({}, {}) belongs to another rank: ask the layout for its owner", at.row, at.column);
  require(symmetry == Symmetry::none || at.row <= at.column, Fault::bad_argument,
          "block ({}, {}) is below the diagonal, but the matrix stores the upper triangle: pass the transposed block",
          at.row, at.column);
}

}  // namespace

template <class Value>
void BlockMatrix<Value>::reserve(std::vector<BlockPlace> entries) {
  for (const BlockPlace& at : entries) require_place(*layout_, symmetry_, at);
  put_in_order(entries);
  auto& [rows, blocks, offset, values, norms, error_bound] = *storage_;
  blocks.index.clear();
  blocks.index.reserve(entries.size());
  blocks.start.assign(1, 0);
  offset.clear();
  offset.reserve(entries.size());
  norms.clear();
  std::int64_t end = 0;
  for (const BlockPlace& at : entries) {
    while (rows[blocks.rows()] != at.row) blocks.end_row();
    blocks.index.push_back(at.column);
    offset.push_back(end);
    end += block_size(*layout_, at);
  }
  while (blocks.start.size() <= rows.size()) blocks.end_row();
  values.clear();
  values.resize(end);
  std::fill(values.begin(), values.end(), Value{});
}

template <class Value>
double BlockMatrix<Value>::drop_below(double eps) {
  norms();
  auto& [rows, blocks, offset, values, norms, error_bound] = *storage_;
  double dropped = 0;
  std::int64_t kept = 0;
  for (std::int64_t r = 0, n = 0; r < blocks.rows(); ++r) {
    for (const std::int64_t last = blocks.start[r + 1]; n < last; ++n) {
      const auto norm = static_cast<double>(norms[n]);
      if (norm < eps) {
        dropped += norm * norm;
        continue;
      }
      blocks.index[kept] = blocks.index[n];
      offset[kept] = offset[n];
      norms[kept++] = norms[n];
    }
    blocks.start[r + 1] = kept;
  }
  blocks.index.resize(kept);
  offset.resize(kept);
  norms.resize(kept);
  return dropped;
}

template class BlockMatrix<float>;
template class BlockMatrix<double>;
template class BlockMatrix<std::complex<float>>;
template class BlockMatrix<std::complex<double>>;

}  // namespace seiche
