/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  A product and a purification, for a ring of cells of two atoms. The coupling is 1 inside a cell and 0.4
 * between cells. The states are known in closed form. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { cells = 24 };
static const double inside = -1, between = -0.4;

/* Creates the Kohn-Sham matrix or the identity, with blocks for each cell and its neighbours. */
static seiche_block_matrix* matrix_of(const seiche_block_layout* layout, int identity) {
  int32_t rows[3 * cells], columns[3 * cells];
  int64_t count = 0;
  int rank, owner;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int32_t i = 0; i < cells; ++i) {
    for (int32_t step = identity ? 0 : -1; step <= (identity ? 0 : 1); ++step) {
      const int32_t j = (i + step + cells) % cells;
      check(seiche_block_layout_owner(layout, i, j, &owner));
      if (owner == rank) rows[count] = i, columns[count++] = j;
    }
  }
  /* [blocks] */
  seiche_block_matrix* matrix;
  check(seiche_block_matrix_create(&matrix, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  check(seiche_block_matrix_reserve(matrix, rows, columns, count));
  for (int64_t b = 0; b < count; ++b) {
    seiche_block block; /* 2 x 2, column-major */
    check(seiche_block_matrix_block(matrix, rows[b], columns[b], &block));
    double* element = block.data;
    if (identity) {
      element[0] = element[3] = 1;
    } else if (rows[b] == columns[b]) {
      element[1] = element[2] = inside;
    } else { /* the second atom of a cell and the first of the next */
      element[columns[b] == (rows[b] + 1) % cells ? 1 : 2] = between;
    }
  }
  /* [/blocks] */
  return matrix;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int32_t sizes[cells];
  for (int i = 0; i < cells; ++i) sizes[i] = 2;
  seiche_block_layout* layout;
  check(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, cells, sizes, cells, NULL));
  seiche_block_matrix *k = matrix_of(layout, 0), *s = matrix_of(layout, 1);

  /* [product] */
  seiche_multiplier* multiplier;
  seiche_block_matrix* square;
  seiche_product product;
  double trace;
  check(seiche_multiplier_create(&multiplier, NULL));
  check(seiche_block_matrix_create(&square, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  check(seiche_product_init(&product));
  product.a = k;
  product.b = k;
  check(seiche_multiplier_multiply(multiplier, &product, square));
  check(seiche_block_matrix_trace(square, &trace)); /* the sum of the squares of all elements */
  /* [/product] */
  double error = fabs(trace - 2 * cells * (inside * inside + between * between));

  /* [purify] */
  seiche_block_matrix* p;
  seiche_purify_report report = {.size = sizeof report};
  check(seiche_purify(&p, k, s, 2 * cells, NULL, &report)); /* two electrons in each of the lower half of the states */
  /* [/purify] */
  double energy = 0;
  for (int m = 0; m < cells; ++m) {
    const double angle = 2 * acos(-1.0) * m / cells;
    energy -= 2 * sqrt(inside * inside + between * between + 2 * inside * between * cos(angle));
  }
  error = fmax(error, fabs(report.energy - energy));
  error = fmax(error, fabs(report.trace - 2 * cells));

  seiche_local_blocks mine;
  check(seiche_block_matrix_local(p, &mine));
  const int code = answer("purification", error, 1e-7, mine.values, mine.value_count);
  check(seiche_block_matrix_destroy(&p));
  check(seiche_block_matrix_destroy(&square));
  check(seiche_multiplier_destroy(&multiplier));
  check(seiche_block_matrix_destroy(&s));
  check(seiche_block_matrix_destroy(&k));
  check(seiche_block_layout_destroy(&layout));
  MPI_Finalize();
  return code;
}
