// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices distributed over ranks. Blocks have any sizes and are column-major: the row index is
/// the fastest.
#pragma once

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// Number of rows (columns) of each block row (block column).
using BlockSizes = std::vector<std::int32_t>;

/// Distribution of blocks. Ranks form a grid of `grid_rows` x `grid_columns`, rank = row * grid_columns + column. The
/// rank in grid row row_owner[i] and grid column column_owner[j] owns block (i, j).
struct BlockLayout {
  Communicator comm;                         ///< communicator of the ranks
  int grid_rows = 1, grid_columns = 1;       ///< shape of the grid of ranks
  BlockSizes row_sizes, column_sizes;        ///< sizes of block rows and block columns
  std::vector<int> row_owner, column_owner;  ///< grid row (column) of each block row (column)

  /// Returns the rank that owns block (i, j).
  int owner(std::int32_t i, std::int32_t j) const {
    return row_owner[static_cast<std::size_t>(i)] * grid_columns + column_owner[static_cast<std::size_t>(j)];
  }
  int grid_row() const { return comm.rank() / grid_columns; }     ///< Grid row of this rank.
  int grid_column() const { return comm.rank() % grid_columns; }  ///< Grid column of this rank.
};
/// A layout that several matrices share.
using SharedLayout = std::shared_ptr<const BlockLayout>;

/// Local. Returns the owner of each of `blocks` block rows (columns), distributed cyclically over `parts` grid rows
/// (columns).
std::vector<int> distribute_cyclic(std::size_t blocks, int parts);
/// Local. Returns owners in a random order with balanced sizes. The same `seed` gives the same owners on all ranks.
std::vector<int> distribute_random(const BlockSizes& sizes, int parts, std::uint64_t seed = 1);
/// Local. Returns owners along a Hilbert curve through the positions of the blocks. Each owner gets a contiguous piece
/// of the curve of nearly equal size, so that neighbouring blocks have the same owner.
std::vector<int> distribute_along_curve(std::span<const std::array<double, 3>> places, const BlockSizes& sizes,
                                        int parts);

/// Local. Returns the most square grid (rows, columns) that uses all ranks.
std::array<int, 2> square_grid(int ranks);

/// Collective over `comm`. Creates a layout on the squarest grid, with rows and columns distributed cyclically.
SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes);
/// Collective over `comm`. Creates a layout with the given grid and owners.
/// \throws Error if the owners do not fit the sizes, or the grid does not fit the number of ranks
SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes,
                         std::array<int, 2> grid, std::vector<int> row_owner, std::vector<int> column_owner);
/// Local. Returns the layout of a product: rows of the first layout, columns of the second. Both
/// must have the same communicator and grid.
SharedLayout product_layout(const BlockLayout& rows_of, const BlockLayout& columns_of);

/// Which blocks a matrix stores.
enum class Symmetry {
  none,           ///< all blocks
  symmetric,      ///< blocks (i, j) with i <= j, diagonal blocks in full; A = A^T
  hermitian,      ///< the same; A = A^H
  antisymmetric,  ///< the same; A = -A^T
};

/// Block row and block column of a block, from 0.
struct BlockPlace {
  std::int32_t row = 0, column = 0;
};

/// Tells whether a block is chosen.
using BlockChoice = std::function<bool(const BlockPlace& at)>;

/// A non-owning view of a block, column-major: element (row, column) is data[column * rows + row]. `data` is null if
/// there is no block.
template <class Value>
struct BlockView {
  Value* data = nullptr;                                         ///< first element, or null
  std::int64_t rows = 0, columns = 0;                            ///< shape of the block
  std::int64_t size() const noexcept { return rows * columns; }  ///< Number of elements.
  /// Tells whether there is a block.
  explicit operator bool() const noexcept { return data != nullptr; }
  /// Returns element (row, column) of the block, from 0.
  Value& operator()(std::int64_t row, std::int64_t column) const { return data[column * rows + row]; }
};

/// Internal storage.
template <class Value>
struct BlockStorage;

/// A block-sparse matrix. Value is float, double, std::complex<float> or std::complex<double>. All members are local:
/// they concern the blocks of this rank. A moved-from matrix may only be assigned to or destroyed. One thread at a time
/// may use it, also for reading, because norms() are cached (see communicator.hpp).
template <class Value>
class BlockMatrix {
 public:
  /// Creates a matrix without blocks, i.e. zero.
  /// \throws Error for a symmetry other than `none` if block sizes of rows and columns differ
  explicit BlockMatrix(SharedLayout layout, Symmetry symmetry = Symmetry::none);
  BlockMatrix(const BlockMatrix& other);
  BlockMatrix(BlockMatrix&&) noexcept;
  BlockMatrix& operator=(const BlockMatrix& other);
  BlockMatrix& operator=(BlockMatrix&&) noexcept;
  ~BlockMatrix();

  const BlockLayout& layout() const noexcept { return *layout_; }         ///< Layout of the matrix.
  const SharedLayout& shared_layout() const noexcept { return layout_; }  ///< Layout, for other matrices.
  Symmetry symmetry() const noexcept { return symmetry_; }                ///< Which blocks are stored.

  /// Returns block (i, j) if this rank stores it. The view has no data if the block is zero, belongs to another rank,
  /// or is in a triangle that is not stored. It is valid until the set of blocks changes.
  /// \throws Error for a block that the layout does not have
  BlockView<const Value> block(std::int32_t i, std::int32_t j) const;
  /// Returns block (i, j) for writing. Cached norms are discarded.
  BlockView<Value> change_block(std::int32_t i, std::int32_t j);

  /// Returns the block rows in which this rank has blocks, ascending. The local blocks are stored in compressed rows:
  /// block row rows()[r] has blocks row_start()[r] to row_start()[r + 1] - 1. Block b is in block column columns()[b]
  /// and begins at values()[offset()[b]].
  const std::vector<std::int32_t>& rows() const noexcept;
  const std::vector<std::int64_t>& row_start() const noexcept;  ///< First block of each row, and the number of blocks.
  const std::vector<std::int32_t>& columns() const noexcept;    ///< Block column of each block, ascending in a row.
  const std::vector<std::int64_t>& offset() const noexcept;     ///< First element of each block in values().
  std::span<const Value> values() const noexcept;               ///< Elements of all blocks of this rank.
  std::span<Value> change_values();  ///< Elements of all blocks, for writing. Cached norms are discarded.
  /// Returns the Frobenius norm of each block of this rank, rounded up.
  const std::vector<float>& norms() const;

  std::int64_t local_blocks() const noexcept;  ///< Number of blocks of this rank.
  std::int64_t memory() const noexcept;        ///< Bytes of memory on this rank.

  /// Replaces all blocks by zero blocks at `entries`. Duplicate entries are ignored.
  /// \throws Error if this rank does not own an entry
  void reserve(std::vector<BlockPlace> entries);
  /// Removes blocks whose norm is below `eps`. \return the sum of their squared norms
  double drop_below(double eps);
  /// Replaces all blocks by the blocks of another matrix, without setting values.
  void take_structure(const BlockMatrix& other);

  /// Returns a bound on the Frobenius norm of the error of this matrix. It covers all filters and rounding errors of
  /// the product that created it. Equal on all ranks.
  double error_bound() const noexcept;

 private:
  friend struct BlockStorage<Value>;
  SharedLayout layout_;
  Symmetry symmetry_;
  std::unique_ptr<BlockStorage<Value>> storage_;
};

/// Local. Returns a matrix with blocks in the memory of the caller. Block n is at `places[n]` and begins at
/// `values[offset[n]]`. The memory must outlive the matrix and all its copies, and stay unchanged. A matrix copies the
/// blocks before it changes them.
/// \throws Error if this rank does not own a place, a place is given twice, or a block exceeds `values`
template <class Value>
BlockMatrix<Value> refer_to_blocks(SharedLayout layout, const std::vector<BlockPlace>& places,
                                   std::span<const std::int64_t> offset, std::span<const Value> values);

/// Operation on an operand: none, transposition, or conjugate transposition.
enum class Transpose { no, yes, conjugate };

/// Local. Creates a matrix from functions. `present(i, j)` tells whether a block exists. `element(row, column)` returns
/// an element (global indices, from 0). Both are called for blocks of this rank only.
template <class Value>
BlockMatrix<Value> from_function(SharedLayout layout,
                                 const std::function<bool(std::int32_t i, std::int32_t j)>& present,
                                 const std::function<Value(std::int64_t, std::int64_t)>& element);
/// Collective. Returns all elements on every rank, column-major. Triangles are completed. For tests.
template <class Value>
std::vector<Value> to_dense(const BlockMatrix<Value>& matrix);
/// Collective. Returns op(matrix) in another layout. The result stores all blocks.
/// \throws Error if the layout does not have the block sizes of op(matrix)
template <class Value>
BlockMatrix<Value> redistribute(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op = Transpose::no);

/// Local. Multiplies all elements by `factor`.
template <class Value>
void scale(BlockMatrix<Value>& matrix, std::type_identity_t<Value> factor);
/// Local. Returns a * x + b * y. \throws Error if the layouts differ
template <class Value>
BlockMatrix<Value> add(std::type_identity_t<Value> a, const BlockMatrix<Value>& x, std::type_identity_t<Value> b,
                       const BlockMatrix<Value>& y);
/// Local. Adds `factor` to each element of the diagonal.
template <class Value>
void add_to_diagonal(BlockMatrix<Value>& matrix, std::type_identity_t<Value> factor);
/// Collective. Returns the real part of the trace, bitwise identical on any number of ranks.
template <class Value>
double trace(const BlockMatrix<Value>& matrix);
/// Collective. Returns Re Tr(a^H b), bitwise identical on any number of ranks.
template <class Value>
double trace_of_product(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b);
/// Collective. Returns the Frobenius norm, bitwise identical on any number of ranks.
template <class Value>
double frobenius_norm(const BlockMatrix<Value>& matrix);

}  // namespace seiche
