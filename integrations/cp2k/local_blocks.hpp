// SPDX-License-Identifier: BSD-3-Clause
/// \file  What dbcsr_blocks.f90 passes to product.cpp. The types are equal to those in dbcsr_blocks.f90.
#pragma once

extern "C" {

/// The blocks of a DBCSR matrix on this rank. Blocks, block rows and block columns are counted from 1.
struct LocalBlocks {
  int comm;                             ///< Fortran handle of the communicator
  int grid_rows, grid_columns;          ///< grid of ranks
  int block_rows, block_columns;        ///< number of block rows and block columns
  int symmetry;                         ///< 0: all blocks are stored; 1: symmetric; -1: antisymmetric
  int count;                            ///< number of blocks on this rank
  const int *row_sizes, *column_sizes;  ///< sizes of block rows and block columns
  const int *row_owner, *column_owner;  ///< grid row (column), from 0, of each block row (column)
  const int *rows, *columns;            ///< place of each block
  const int* first;                     ///< first element of each block, from 1; negative: the block is transposed
  double* values;                       ///< elements of all blocks
};

/// Rows, columns or inner indices that a product is limited to, from 1. Both ends are included.
struct Limits {
  int first, last;
};

/// C = alpha op(A) op(B) + beta C.
struct ProductRequest {
  int transpose_a, transpose_b;  ///< whether op is the transposition
  int b_is_a;                    ///< whether A and B are the same matrix
  int keep_c;                    ///< whether the blocks of C are kept and the product is added to them
  Limits rows, columns, inner;
  double alpha, beta;
  double eps;  ///< filter threshold; 0: no filter
};
}
