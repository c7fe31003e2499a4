/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Interpolations between grids from C: calls that fail, calls that one rank refuses, and lifetime. */
#include <stdlib.h>

#include "expect.h"

int main(int argc, char** argv) {
  const int64_t shape[3] = {6, 5, 7}, fine_shape[3] = {9, 8, 8};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  seiche_dense_fft *coarse, *fine, *single;
  seiche_grid_interpolation *up, *other;
  seiche_box mine, mine_fine;
  EXPECT_OK(seiche_dense_fft_create(&coarse, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_dense_fft_create(&fine, MPI_COMM_WORLD, SEICHE_DOUBLE, fine_shape, NULL));
  EXPECT_OK(seiche_dense_fft_create(&single, MPI_COMM_WORLD, SEICHE_FLOAT, fine_shape, NULL));
  EXPECT_OK(seiche_dense_fft_grid_box(coarse, &mine));
  EXPECT_OK(seiche_dense_fft_grid_box(fine, &mine_fine));
  const int64_t n = 2 * seiche_box_volume(&mine), n_fine = 2 * seiche_box_volume(&mine_fine); /* of two fields */
  double *fields = calloc((size_t)n + 1, sizeof *fields), *result = calloc((size_t)n_fine + 1, sizeof *result);
  for (int64_t p = 0; p < n; ++p) fields[p] = p < n / 2 ? 3 : -2;
  EXPECT_OK(seiche_grid_interpolation_create(&up, coarse, fine, 2));
  int64_t count = 0;
  EXPECT_OK(seiche_grid_interpolation_fields(up, &count));
  EXPECT(count == 2);

  EXPECT_FAULT(seiche_grid_interpolation_create(&other, coarse, fine, 0), SEICHE_BAD_ARGUMENT,
               "grid_interpolation: the number of fields must be 1 to 65536 (got 0)");
  EXPECT(other == NULL);
  EXPECT_FAULT(seiche_grid_interpolation_create(&other, coarse, single, 1), SEICHE_BAD_ARGUMENT,
               "dense_fft: the plans are for different types of values: create both for one type");
  EXPECT_FAULT(seiche_grid_interpolation_apply(up, fields, n, result, n_fine + 1), SEICHE_BAD_ARGUMENT,
               "grid_interpolation: wrong size of the target array");
  const int last = rank == ranks - 1; /* it cannot make a call */
  EXPECT_FAULT(last ? seiche_grid_interpolation_refuse(up, SEICHE_MISUSE, "no field")
                    : seiche_grid_interpolation_apply(up, fields, n, result, n_fine),
               SEICHE_MISUSE, "no field");
  EXPECT_OK(seiche_dense_fft_destroy(&coarse)); /* the interpolation does not need it */
  EXPECT_OK(seiche_dense_fft_destroy(&fine));
  EXPECT_OK(seiche_dense_fft_destroy(&single));
  EXPECT_OK(seiche_grid_interpolation_apply(up, fields, n, result, n_fine));
  for (int64_t p = 0; p < n_fine; ++p) {
    const double off = result[p] - (p < n_fine / 2 ? 3 : -2);
    EXPECT(off < 1e-13 && off > -1e-13);
  }
  EXPECT_OK(seiche_grid_interpolation_destroy(&up));
  EXPECT_OK(seiche_grid_interpolation_destroy(&up));
  EXPECT(seiche_open_handles() == 0);
  free(result);
  free(fields);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
