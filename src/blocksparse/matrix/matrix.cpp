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
  return storage_->all_values();
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
  storage_->own_values();
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
  const auto& [rows, blocks, offset, values, norms, error_bound, lent] = *storage_;
  const auto row = std::lower_bound(rows.begin(), rows.end(), i);
  if (row == rows.end() || *row != i) return {};
  const std::int64_t number = blocks.find(row - rows.begin(), j);
  if (number < 0) return {};
  return {this->values().data() + offset[number], layout_->row_sizes[i], layout_->column_sizes[j]};
}

template <class Value>
BlockView<Value> BlockMatrix<Value>::change_block(std::int32_t i, std::int32_t j) {
  const BlockView<const Value> found = block(i, j);
  if (!found) return {};
  const std::int64_t first = found.data - values().data();
  return {change_values().data() + first, found.rows, found.columns};
}

template <class Value>
const std::vector<float>& BlockMatrix<Value>::norms() const {
  std::vector<float>& norms = storage_->norms;
  if (std::ssize(norms) == local_blocks()) return norms;
  norms.resize(local_blocks());
  const Value* const values = this->values().data();
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

bool in_order(const BlockPlace& a, const BlockPlace& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; }

/// Sorts and removes duplicates.
void put_in_order(std::vector<BlockPlace>& entries) {
  const auto same = [](const BlockPlace& a, const BlockPlace& b) { return a.row == b.row && a.column == b.column; };
  if (!std::is_sorted(entries.begin(), entries.end(), in_order)) std::sort(entries.begin(), entries.end(), in_order);
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

/// Sets the blocks of this rank, in order, without offsets and values.
template <class Value>
void set_structure(BlockStorage<Value>& storage, const std::vector<BlockPlace>& entries) {
  CompressedRows& blocks = storage.blocks;
  blocks.index.clear();
  blocks.index.reserve(entries.size());
  blocks.start.assign(1, 0);
  for (const BlockPlace& at : entries) {
    while (storage.rows[blocks.rows()] != at.row) blocks.end_row();
    blocks.index.push_back(at.column);
  }
  while (blocks.start.size() <= storage.rows.size()) blocks.end_row();
  storage.norms.clear();
  storage.lent = {};
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
  set_structure(*storage_, entries);
  auto& [rows, blocks, offset, values, norms, error_bound, lent] = *storage_;
  offset.clear();
  offset.reserve(entries.size());
  std::int64_t end = 0;
  for (const BlockPlace& at : entries) {
    offset.push_back(end);
    end += block_size(*layout_, at);
  }
  values.clear();
  values.resize(end);
  std::fill(values.begin(), values.end(), Value{});
}

template <class Value>
double BlockMatrix<Value>::drop_below(double eps) {
  norms();
  auto& [rows, blocks, offset, values, norms, error_bound, lent] = *storage_;
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

template <class Value>
BlockMatrix<Value> refer_to_blocks(SharedLayout layout, const std::vector<BlockPlace>& places,
                                   std::span<const std::int64_t> offset, std::span<const Value> values) {
  require(places.size() == offset.size(), Fault::bad_argument,
          "{} places of blocks, but {} offsets: give one offset per place", places.size(), offset.size());
  std::vector<std::pair<BlockPlace, std::int64_t>> blocks;
  for (std::size_t n = 0; n < places.size(); ++n) {
    require_place(*layout, Symmetry::none, places[n]);
    const std::int64_t end = offset[n] + block_size(*layout, places[n]);
    require(offset[n] >= 0 && end <= std::ssize(values), Fault::bad_argument,
            "block ({}, {}) has elements {} to {}, but there are {} values: correct its offset", places[n].row,
            places[n].column, offset[n], end - 1, values.size());
    blocks.emplace_back(places[n], offset[n]);
  }
  const auto before = [](const auto& a, const auto& b) { return in_order(a.first, b.first); };
  if (!std::is_sorted(blocks.begin(), blocks.end(), before)) std::sort(blocks.begin(), blocks.end(), before);
  std::vector<BlockPlace> entries;
  BlockMatrix<Value> matrix(std::move(layout));
  BlockStorage<Value>& storage = inside(matrix);
  for (const auto& [at, first] : blocks) {
    require(entries.empty() || in_order(entries.back(), at), Fault::bad_argument,
            "block ({}, {}) is given twice: give each block once", at.row, at.column);
    entries.push_back(at);
    storage.offset.push_back(first);
  }
  set_structure(storage, entries);
  storage.lent = values;
  return matrix;
}

#define SEICHE_REFER(Value)                                                                 \
  template BlockMatrix<Value> refer_to_blocks(SharedLayout, const std::vector<BlockPlace>&, \
                                              std::span<const std::int64_t>, std::span<const Value>)
SEICHE_REFER(float);
SEICHE_REFER(double);
SEICHE_REFER(std::complex<float>);
SEICHE_REFER(std::complex<double>);

template class BlockMatrix<float>;
template class BlockMatrix<double>;
template class BlockMatrix<std::complex<float>>;
template class BlockMatrix<std::complex<double>>;

}  // namespace seiche
