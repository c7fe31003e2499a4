// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices distributed over ranks, their filtered products with a bound on the error, and density
/// matrices from them. Blocks of any sizes; inside a block the row index runs fastest (column-major).
#pragma once

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// Rows (or columns) of each block row (block column).
using BlockSizes = std::vector<std::int32_t>;

/// Who owns which block: ranks form a grid of `grid_rows` x `grid_columns`, rank = row * grid_columns + column, and
/// block (i, j) belongs to the rank in grid row row_owner[i] and grid column column_owner[j].
struct BlockLayout {
  Communicator comm;
  int grid_rows = 1, grid_columns = 1;
  BlockSizes row_sizes, column_sizes;
  std::vector<int> row_owner, column_owner;

  int owner(std::int32_t i, std::int32_t j) const {
    return row_owner[static_cast<std::size_t>(i)] * grid_columns + column_owner[static_cast<std::size_t>(j)];
  }
  int grid_row() const { return comm.rank() / grid_columns; }
  int grid_column() const { return comm.rank() % grid_columns; }
};
using SharedLayout = std::shared_ptr<const BlockLayout>;

/// Who owns each of `blocks` block rows (or columns), distributed in turn over `parts` rows (columns) of the grid.
std::vector<int> distribute_cyclic(std::size_t blocks, int parts);
/// Balanced by size, in an order shuffled by `seed`, the same on all ranks.
std::vector<int> distribute_random(const BlockSizes& sizes, int parts, std::uint64_t seed = 1);
/// Along a Hilbert curve through the blocks' places, in stretches of nearly equal size: neighbours stay together.
std::vector<int> distribute_along_curve(std::span<const std::array<double, 3>> places, const BlockSizes& sizes,
                                        int parts);

/// The grid nearest to a square that uses all ranks.
std::array<int, 2> square_grid(int ranks);

/// Collective over `comm`. A layout on the squarest grid, rows and columns distributed cyclically.
SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes);
/// Collective over `comm`. \throws Error when the maps do not fit the sizes, or the grid the ranks
SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes,
                         std::array<int, 2> grid, std::vector<int> row_owner, std::vector<int> column_owner);
/// Local. The layout of a product: rows as those of one matrix, columns as those of the other, on the same grid.
SharedLayout product_layout(const BlockLayout& rows_of, const BlockLayout& columns_of);

/// What a matrix stores of itself.
enum class Symmetry {
  none,           ///< all blocks
  symmetric,      ///< blocks (i, j) with i <= j, those on the diagonal whole: A = A^T
  hermitian,      ///< likewise: A = A^H
  antisymmetric,  ///< likewise: A = -A^T
};

/// Block row and block column of a block.
struct BlockPlace {
  std::int32_t row = 0, column = 0;
};

/// A block in memory, column-major: element (row, column) is data[column * rows + row]. Without data, none.
template <class Value>
struct BlockView {
  Value* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t size() const noexcept { return rows * columns; }
  explicit operator bool() const noexcept { return data != nullptr; }
  Value& operator()(std::int64_t row, std::int64_t column) const { return data[column * rows + row]; }
};

/// The library's own.
template <class Value>
struct BlockStorage;

/// A block-sparse matrix. Value is float, double, std::complex<float> or std::complex<double>. All that it does is
/// local: it knows the blocks of this rank. One that has been moved from may only be assigned to or destroyed.
/// For one thread at a time, also to read (norms() are kept when they are asked for): see communicator.hpp.
template <class Value>
class BlockMatrix {
 public:
  /// The zero matrix. \throws Error for a triangle of a matrix whose block sizes differ along rows and columns
  explicit BlockMatrix(SharedLayout layout, Symmetry symmetry = Symmetry::none);
  BlockMatrix(const BlockMatrix& other);
  BlockMatrix(BlockMatrix&&) noexcept;
  BlockMatrix& operator=(const BlockMatrix& other);
  BlockMatrix& operator=(BlockMatrix&&) noexcept;
  ~BlockMatrix();

  const BlockLayout& layout() const noexcept { return *layout_; }
  const SharedLayout& shared_layout() const noexcept { return layout_; }
  Symmetry symmetry() const noexcept { return symmetry_; }

  /// Block (i, j) where this rank stores it; no data where another rank does or where it is zero, as all below the
  /// diagonal are of a matrix that stores one triangle. Good until the matrix changes its blocks. \throws Error for a
  /// block that the layout does not have
  BlockView<const Value> block(std::int32_t i, std::int32_t j) const;
  BlockView<Value> change_block(std::int32_t i, std::int32_t j);  ///< To change it, as change_values().

  /// All blocks of this rank: row_start()[r] .. row_start()[r + 1] are those of block row rows()[r], columns()
  /// ascending; block b begins at values()[offset()[b]].
  const std::vector<std::int32_t>& rows() const noexcept;
  const std::vector<std::int64_t>& row_start() const noexcept;
  const std::vector<std::int32_t>& columns() const noexcept;
  const std::vector<std::int64_t>& offset() const noexcept;
  std::span<const Value> values() const noexcept;
  std::span<Value> change_values();  ///< To change them: what was known of norms is forgotten.
  /// Frobenius norm of each block of this rank, rounded up.
  const std::vector<float>& norms() const;

  std::int64_t local_blocks() const noexcept;
  std::int64_t memory() const noexcept;  ///< Bytes held by this rank.

  /// Replaces all blocks by zeroes at `entries`, which this rank must own; one given twice counts once. \throws Error
  /// otherwise
  void reserve(std::vector<BlockPlace> entries);
  /// Drops blocks of norm below `eps`. \return the sum of their squared norms
  double drop_below(double eps);
  /// Takes the structure of another matrix; values are not set.
  void take_structure(const BlockMatrix& other);

  /// Bound on the Frobenius norm of the difference from what this matrix should be, from all filters and roundings of
  /// the product that made it. The same on all ranks.
  double error_bound() const noexcept;

 private:
  friend struct BlockStorage<Value>;
  SharedLayout layout_;
  Symmetry symmetry_;
  std::unique_ptr<BlockStorage<Value>> storage_;
};

/// What is done to an operand.
enum class Transpose { no, yes, conjugate };

/// Local. Every element given by `element(row, column)` (global, 0-based) where `present(i, j)` holds of the block.
template <class Value>
BlockMatrix<Value> from_function(SharedLayout layout,
                                 const std::function<bool(std::int32_t i, std::int32_t j)>& present,
                                 const std::function<Value(std::int64_t, std::int64_t)>& element);
/// Collective. All elements on every rank, column-major, symmetric matrices expanded. For tests.
template <class Value>
std::vector<Value> to_dense(const BlockMatrix<Value>& matrix);
/// Collective. op(matrix), with all blocks stored, in another layout of its shape.
template <class Value>
BlockMatrix<Value> redistribute(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op = Transpose::no);

/// Local. matrix *= factor.
template <class Value>
void scale(BlockMatrix<Value>& matrix, Value factor);
/// Local. a * x + b * y; layouts must be the same. \throws Error otherwise
template <class Value>
BlockMatrix<Value> add(Value a, const BlockMatrix<Value>& x, Value b, const BlockMatrix<Value>& y);
/// Local. matrix += factor on the diagonal.
template <class Value>
void add_to_diagonal(BlockMatrix<Value>& matrix, Value factor);
// Collective, and the same to the last bit on any number of ranks:
template <class Value>
double trace(const BlockMatrix<Value>& matrix);  ///< real part
template <class Value>
double trace_of_product(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b);  ///< Re Tr(a^H b)
/// Collective. The root of the sum of all elements' squares; the same to the last bit on any number of ranks.
template <class Value>
double frobenius_norm(const BlockMatrix<Value>& matrix);

}  // namespace seiche
