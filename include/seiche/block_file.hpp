// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of block-sparse matrices: CP2K's CSR prints (binary and text), MatrixMarket, DBCSR's binary dump.
#pragma once

#include "seiche/blocksparse.hpp"

namespace seiche {

/// Of files of matrices.
enum class MatrixFormat {
  csr_binary,     ///< CP2K: one Fortran record per element, row, column, value
  csr_text,       ///< CP2K: row, column, value on a line; 14 digits
  matrix_market,  ///< coordinate format; 17 digits
  dbcsr           ///< DBCSR's binary dump, "DBCSRv_1.0", with block sizes
};
/// The word for it.
std::string name_of(MatrixFormat format);

/// How a file is read that does not say all.
struct MatrixFileOptions {
  /// Block sizes along rows and columns, where the file has none; empty: blocks of 16.
  BlockSizes blocks;
  /// Take a file that holds one triangle only for the whole of a symmetric (hermitian) matrix.
  bool complete_triangle = true;
  SharedLayout layout;  ///< where the blocks shall lie; null: dealt cyclically on the squarest grid
};

/// Collective. The format is found from content; each rank reads its part. All blocks are stored, with the layout's
/// block sizes. \throws Error when the file is missing, truncated, of no known format, has an element twice or one that
/// is not a number, or does not fit the block sizes; and when it is complex but Value is not
template <class Value>
BlockMatrix<Value> read_blocks(const Communicator& comm, const std::string& path,
                               const MatrixFileOptions& options = {});

/// Collective. Writes all blocks of the matrix, triangles completed; the file appears under its name when complete.
template <class Value>
void write_blocks(const BlockMatrix<Value>& matrix, const std::string& path, MatrixFormat format);

/// Collective. Throws at once where write_blocks would after a long computation: in a place where no file can be made.
void expect_block_file(const Communicator& comm, const std::string& path);

/// "13,13,5" or "64x13,128x5" as block sizes. \throws Error for anything else
BlockSizes parse_block_sizes(const std::string& text);

}  // namespace seiche
