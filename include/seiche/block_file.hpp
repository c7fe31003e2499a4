// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of block-sparse matrices: CP2K's CSR files (binary and text), MatrixMarket, DBCSR's binary dump.
#pragma once

#include "seiche/blocksparse.hpp"

namespace seiche {

/// File formats of matrices.
enum class MatrixFormat {
  csr_binary,     ///< CP2K: one Fortran record (row, column, value) per element
  csr_text,       ///< CP2K: one line (row, column, value) per element; 14 digits
  matrix_market,  ///< coordinate format; 17 digits
  dbcsr           ///< DBCSR's binary dump "DBCSRv_1.0", with block sizes
};
/// Local. Returns the name of a format, e.g. "CP2K CSR (binary)".
std::string name_of(MatrixFormat format);

/// Properties that a file may not contain.
struct MatrixFileOptions {
  /// Block sizes along rows and columns if the file has none (empty: blocks of 16).
  BlockSizes blocks;
  /// Complete a file that contains one triangle only to a symmetric (hermitian) matrix.
  bool complete_triangle = true;
  SharedLayout layout;  ///< layout of the result; null: cyclic on the squarest grid
};

/// Collective. Reads a matrix. The format is detected from the content, and each rank reads its own part. The result
/// stores all blocks, with the block sizes of the layout.
/// \throws Error if the file is missing, truncated or of unknown format. Other errors are duplicate elements, elements
/// that are not numbers, block sizes that do not fit, and a complex file for a real Value
template <class Value>
BlockMatrix<Value> read_blocks(const Communicator& comm, const std::string& path,
                               const MatrixFileOptions& options = {});

/// Collective. Tells whether a file contains complex numbers. \throws Error if the file is missing or of unknown format
bool holds_complex(const Communicator& comm, const std::string& path);

/// Collective. Writes all blocks of the matrix. Triangles are completed. The file appears under its name only when it
/// is complete.
/// \throws Error(unwritable) if the file cannot be written
template <class Value>
void write_blocks(const BlockMatrix<Value>& matrix, const std::string& path, MatrixFormat format);

/// Collective. Checks that write_blocks() can create a file at `path`. Call it before a long computation.
/// \throws Error(unwritable) if no file can be created there
void expect_block_file(const Communicator& comm, const std::string& path);

/// Local. Parses block sizes such as "13,13,5" or "64x13,128x5".
/// \throws Error for any other text
BlockSizes parse_block_sizes(const std::string& text);

}  // namespace seiche
