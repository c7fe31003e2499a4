// SPDX-License-Identifier: BSD-3-Clause
/// \file  Internal storage of a matrix, and iteration over its blocks.
#pragma once

#include "blocksparse/matrix/compressed_rows.hpp"
#include "comm/equal_arguments.hpp"
#include "interface/blocksparse_members.hpp"
#include "seiche/blocksparse.hpp"

namespace seiche {

template <class Value>
struct BlockStorage {
  std::vector<std::int32_t> rows;    ///< block rows of this rank, ascending
  CompressedRows blocks;             ///< one row for each of them; the index is the block column
  std::vector<std::int64_t> offset;  ///< of each block in `values`
  RawVector<Value> values;
  std::vector<float> norms;  ///< empty: unknown
  double error_bound = 0;
  std::span<const Value> lent;  ///< values in the memory of the caller, instead of `values`; empty: none

  std::span<const Value> all_values() const { return lent.empty() ? std::span<const Value>(values) : lent; }
  /// Copies values in the memory of the caller.
  void own_values() {
    if (!lent.empty()) values.assign(lent.begin(), lent.end());
    lent = {};
  }

  static BlockStorage& of(const BlockMatrix<Value>& matrix) { return *matrix.storage_; }
};

template <class Value>
BlockStorage<Value>& inside(BlockMatrix<Value>& matrix) {
  return BlockStorage<Value>::of(matrix);
}
template <class Value>
const BlockStorage<Value>& inside(const BlockMatrix<Value>& matrix) {
  return BlockStorage<Value>::of(matrix);
}
/// Declares the matrix exact, or with an error of at most `bound`.
template <class Value>
void set_error_bound(BlockMatrix<Value>& matrix, double bound) {
  inside(matrix).error_bound = bound;
}

/// Returns the first row (column) of each block, and the end of the last one.
std::vector<std::int64_t> starts_of(const BlockSizes& sizes);
bool same_layout(const BlockLayout& a, const BlockLayout& b);
/// Adds a layout to the arguments that must be equal on all ranks.
EqualArguments& add_layout(EqualArguments& same, const BlockLayout& layout);

inline std::int64_t block_size(const BlockLayout& layout, const BlockPlace& at) {
  return static_cast<std::int64_t>(layout.row_sizes[at.row]) * layout.column_sizes[at.column];
}

/// A block of this rank.
struct StoredBlock {
  std::int64_t row_number, number;  ///< index among the rank's rows, and among its blocks
  BlockPlace at;
  std::int64_t rows, columns, offset;  ///< offset in the values of the matrix
  std::int64_t size() const { return rows * columns; }
  bool on_diagonal() const { return at.row == at.column; }
};

template <class Value>
StoredBlock stored_block(const BlockMatrix<Value>& m, std::int64_t row_number, std::int64_t number) {
  const auto& s = inside(m);
  const BlockPlace at{s.rows[row_number], s.blocks.index[number]};
  return {row_number, number, at, m.layout().row_sizes[at.row], m.layout().column_sizes[at.column], s.offset[number]};
}

/// Calls work(block) for each block of this rank, in order.
template <class Value, class Work>
void each_block(const BlockMatrix<Value>& m, const Work& work) {
  const CompressedRows& blocks = inside(m).blocks;
  for (std::int64_t r = 0; r < blocks.rows(); ++r) {
    for (std::int64_t n = blocks.start[r]; n < blocks.start[r + 1]; ++n) work(stored_block(m, r, n));
  }
}

/// Finds the values of blocks of this rank.
template <class Value>
class BlockFinder {
 public:
  explicit BlockFinder(const BlockMatrix<Value>& m) : m_(inside(m)), row_number_(m.layout().row_sizes.size(), 0) {
    for (std::size_t r = 0; r < m_.rows.size(); ++r) row_number_[m_.rows[r]] = static_cast<std::int32_t>(r);
  }
  /// \pre the block exists
  std::int64_t operator()(const BlockPlace& at) const {
    return m_.offset[m_.blocks.find(row_number_[at.row], at.column)];
  }

 private:
  const BlockStorage<Value>& m_;
  std::vector<std::int32_t> row_number_;
};

}  // namespace seiche
