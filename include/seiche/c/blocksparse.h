/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Block-sparse matrices spread over ranks, and their files. Blocks are column-major: element (row, column) of a
 * block is data[column * rows + row]. Indices begin at 0. docs/blocksparse.md */
#ifndef SEICHE_C_BLOCKSPARSE_H
#define SEICHE_C_BLOCKSPARSE_H

#include "seiche/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Who owns which block: ranks form a grid, rank = grid row * grid columns + grid column. */
typedef struct seiche_block_layout seiche_block_layout;
typedef struct seiche_block_matrix seiche_block_matrix;

/** What a matrix stores of itself: all blocks, or those with row <= column. */
typedef enum seiche_symmetry SEICHE_INT {
  SEICHE_SYMMETRY_NONE = 0,
  SEICHE_SYMMETRIC = 1,
  SEICHE_HERMITIAN = 2,
  SEICHE_ANTISYMMETRIC = 3
} seiche_symmetry;

/** What is done to an operand. */
typedef enum seiche_transpose SEICHE_INT {
  SEICHE_TRANSPOSE_NO = 0,
  SEICHE_TRANSPOSE_YES = 1,
  SEICHE_TRANSPOSE_CONJUGATE = 2
} seiche_transpose;

/** Formats of files; reading finds them from content. */
typedef enum seiche_matrix_format SEICHE_INT {
  SEICHE_CSR_BINARY = 0,    /**< CP2K's binary print */
  SEICHE_CSR_TEXT = 1,      /**< CP2K's text print */
  SEICHE_MATRIX_MARKET = 2, /**< coordinate format */
  SEICHE_DBCSR = 3          /**< DBCSR's binary dump */
} seiche_matrix_format;

/* --------------------------------------------------------------------------------------------------------- layouts */

/** Who owns which block row and block column; init: the squarest grid, dealt cyclically. */
typedef struct seiche_block_owners {
  size_t size;                 /**< set by seiche_block_owners_init() */
  int grid_rows, grid_columns; /**< of the grid of ranks; 0, 0: the squarest */
  const int* row_owner;        /**< grid row of each block row; NULL: in turn */
  const int* column_owner;     /**< grid column of each block column; NULL: in turn */
  int64_t row_count, column_count;
} seiche_block_owners;

SEICHE_API seiche_status seiche_block_owners_fill(seiche_block_owners* owners, size_t size);
static inline seiche_status seiche_block_owners_init(seiche_block_owners* owners) {
  return seiche_block_owners_fill(owners, sizeof *owners);
}

/** Collective over `comm`. Sizes of the block rows and block columns; `owners` NULL: as initialised. */
SEICHE_API seiche_status seiche_block_layout_create(seiche_block_layout** layout, MPI_Comm comm,
                                                    const int32_t* row_sizes, int64_t row_count,
                                                    const int32_t* column_sizes, int64_t column_count,
                                                    const seiche_block_owners* owners);
/** That of a product: rows as those of one matrix, columns as those of the other, on the same grid. */
SEICHE_API seiche_status seiche_block_layout_create_product(seiche_block_layout** layout,
                                                            const seiche_block_layout* rows_of,
                                                            const seiche_block_layout* columns_of);
/** Matrices that use it keep what they need. */
SEICHE_API seiche_status seiche_block_layout_destroy(seiche_block_layout** layout);
/** The rank that owns block (row, column). */
SEICHE_API seiche_status seiche_block_layout_owner(const seiche_block_layout* layout, int32_t row, int32_t column,
                                                   int* rank);

/* -------------------------------------------------------------------------------------------------------- matrices */

/** The zero matrix. Error for a triangle of a matrix whose block sizes differ along rows and columns. */
SEICHE_API seiche_status seiche_block_matrix_create(seiche_block_matrix** matrix, const seiche_block_layout* layout,
                                                    seiche_value value, seiche_symmetry symmetry);
SEICHE_API seiche_status seiche_block_matrix_create_copy(seiche_block_matrix** matrix, const seiche_block_matrix* of);
/** Collective. op(matrix) in another layout of its shape. */
SEICHE_API seiche_status seiche_block_matrix_create_redistributed(seiche_block_matrix** matrix,
                                                                  const seiche_block_matrix* of,
                                                                  const seiche_block_layout* layout,
                                                                  seiche_transpose op);
/** a x + b y; each factor is a real and an imaginary part. Error where layouts differ. */
SEICHE_API seiche_status seiche_block_matrix_create_sum(seiche_block_matrix** matrix, const double a[2],
                                                        const seiche_block_matrix* x, const double b[2],
                                                        const seiche_block_matrix* y);
SEICHE_API seiche_status seiche_block_matrix_destroy(seiche_block_matrix** matrix);

/** Replaces all blocks by zeroes at (rows[i], columns[i]), which this rank must own. */
SEICHE_API seiche_status seiche_block_matrix_reserve(seiche_block_matrix* matrix, const int32_t* rows,
                                                     const int32_t* columns, int64_t count);

/** A block where this rank stores it: to be changed, until the matrix changes its blocks. No data: it is zero, or
 * another rank's. */
typedef struct seiche_block {
  void* data;
  int64_t rows, columns;
} seiche_block;
SEICHE_API seiche_status seiche_block_matrix_block(seiche_block_matrix* matrix, int32_t row, int32_t column,
                                                   seiche_block* block);

/** All blocks of this rank, until the matrix changes them: row_start[r] .. row_start[r + 1] are those of block row
 * rows[r], columns ascending; block b begins at element offset[b]. Values of dropped blocks lie between them. */
typedef struct seiche_local_blocks {
  const int32_t* rows;
  const int64_t* row_start;
  int64_t row_count; /**< of `rows`; row_start has one more */
  const int32_t* columns;
  const int64_t* offset;
  int64_t block_count;
  const void* values;
  int64_t value_count;
} seiche_local_blocks;
SEICHE_API seiche_status seiche_block_matrix_local(const seiche_block_matrix* matrix, seiche_local_blocks* blocks);

SEICHE_API seiche_status seiche_block_matrix_value(const seiche_block_matrix* matrix, seiche_value* value);
/** matrix *= factor */
SEICHE_API seiche_status seiche_block_matrix_scale(seiche_block_matrix* matrix, const double factor[2]);
/** matrix += factor on the diagonal */
SEICHE_API seiche_status seiche_block_matrix_add_to_diagonal(seiche_block_matrix* matrix, const double factor[2]);
/** Drops blocks of norm below eps; `dropped`: the sum of their squared norms. */
SEICHE_API seiche_status seiche_block_matrix_drop_below(seiche_block_matrix* matrix, double eps, double* dropped);
/** Bound on the Frobenius norm of its error, from filters and roundings of the product that made it. */
SEICHE_API seiche_status seiche_block_matrix_error_bound(const seiche_block_matrix* matrix, double* bound);

/** Collective, and the same to the last bit on any number of ranks. */
SEICHE_API seiche_status seiche_block_matrix_trace(const seiche_block_matrix* matrix, double* trace);
/** Re Tr(a^H b) */
SEICHE_API seiche_status seiche_block_matrix_trace_of_product(const seiche_block_matrix* a,
                                                              const seiche_block_matrix* b, double* trace);
SEICHE_API seiche_status seiche_block_matrix_norm(const seiche_block_matrix* matrix, double* norm);
/** Collective. An interval that holds all eigenvalues of a symmetric or hermitian matrix. */
SEICHE_API seiche_status seiche_block_matrix_spectrum(const seiche_block_matrix* matrix, double* low, double* high);
/** Collective. All elements on every rank, column-major, of the matrix's kind of value. */
SEICHE_API seiche_status seiche_block_matrix_to_dense(const seiche_block_matrix* matrix, void* elements, int64_t count);
/** Collective. Replaces a call of to_dense that this rank cannot make: all ranks get `status` and `sentence`. See
 * seiche_refuse_create(). */
SEICHE_API seiche_status seiche_block_matrix_refuse(const seiche_block_matrix* matrix, seiche_status status,
                                                    const char* sentence);

/* ----------------------------------------------------------------------------------------------------------- files */

/** Collective. `block_sizes`: along rows and columns, where the file has none; none: blocks of 16. `layout` NULL: dealt
 * cyclically on the squarest grid. */
SEICHE_API seiche_status seiche_block_matrix_read(seiche_block_matrix** matrix, MPI_Comm comm, const char* path,
                                                  seiche_value value, const int32_t* block_sizes, int64_t block_count,
                                                  const seiche_block_layout* layout);
/** Collective. The file appears under its name when it is complete. */
SEICHE_API seiche_status seiche_block_matrix_write(const seiche_block_matrix* matrix, const char* path,
                                                   seiche_matrix_format format);

#ifdef __cplusplus
}
#endif

#endif
