/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Product of two fields without aliasing. The fields are interpolated to a finer grid and multiplied, and the
 * product is interpolated back. cos(3x + 2y + z) cos(3x + y) = cos(y + z)/2 + cos(6x + 3y + z)/2. The grid does not
 * have the second wave. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { n = 8, n_fine = 12 };

/* Computes cos(a x + b y + c z) on this rank. The edges of the cell are 2 pi. */
static void wave(const seiche_box* mine, int a, int b, int c, double* values) {
  const double pi = acos(-1.0);
  for (int64_t k = mine->low[2]; k < mine->high[2]; ++k) {
    for (int64_t j = mine->low[1]; j < mine->high[1]; ++j) {
      for (int64_t i = mine->low[0]; i < mine->high[0]; ++i)
        *values++ = cos(2 * pi / n * (double)(a * i + b * j + c * k));
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);

  /* [plans] */
  seiche_fft_options options;
  check(seiche_fft_options_init(&options));
  options.reproducible = 1; /* the same bits in every run */
  const int64_t shape[3] = {n, n, n}, fine_shape[3] = {n_fine, n_fine, n_fine};
  seiche_dense_fft *coarse, *fine;
  check(seiche_dense_fft_create(&coarse, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options));
  check(seiche_dense_fft_create(&fine, MPI_COMM_WORLD, SEICHE_DOUBLE, fine_shape, &options));
  seiche_box mine, mine_fine; /* the parts of the grids that this rank has */
  check(seiche_dense_fft_grid_box(coarse, &mine));
  check(seiche_dense_fft_grid_box(fine, &mine_fine));
  const int64_t points = seiche_box_volume(&mine), fine_points = seiche_box_volume(&mine_fine);
  /* [/plans] */
  double* fields = malloc((size_t)(2 * points + 1) * sizeof *fields);
  double* on_fine = malloc((size_t)(2 * fine_points + 1) * sizeof *on_fine);
  double* product = malloc((size_t)(points + 1) * sizeof *product);
  wave(&mine, 3, 2, 1, fields);
  wave(&mine, 3, 1, 0, fields + points);

  /* [product] */
  seiche_grid_interpolation *up, *down;
  check(seiche_grid_interpolation_create(&up, coarse, fine, 2)); /* two fields in a call */
  check(seiche_grid_interpolation_create(&down, fine, coarse, 1));

  check(seiche_grid_interpolation_apply(up, fields, 2 * points, on_fine, 2 * fine_points));
  for (int64_t p = 0; p < fine_points; ++p) on_fine[p] *= on_fine[fine_points + p];
  check(seiche_grid_interpolation_apply(down, on_fine, fine_points, product, points));
  /* [/product] */

  wave(&mine, 0, 1, 1, fields);
  double error = 0;
  for (int64_t p = 0; p < points; ++p) error = fmax(error, fabs(product[p] - fields[p] / 2));
  check(seiche_grid_interpolation_destroy(&up));
  check(seiche_grid_interpolation_destroy(&down));
  check(seiche_dense_fft_destroy(&coarse));
  check(seiche_dense_fft_destroy(&fine));
  const int code = answer("grid_interpolation", error, 1e-13, product, points);
  free(product);
  free(on_fine);
  free(fields);
  MPI_Finalize();
  return code;
}
