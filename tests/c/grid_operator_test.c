/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Operators on grids from C: numbers of fields, memory, calls that fail, and calls that one rank refuses. */
#include <stdlib.h>

#include "expect.h"

int main(int argc, char** argv) {
  const int64_t shape[3] = {6, 5, 7};
  const double cube[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, flat[9] = {1, 0, 0, 0, 1, 0, 1, 1, 0};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  seiche_dense_fft* fft;
  seiche_grid_operator *gradient, *other;
  seiche_box mine, waves;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &mine));
  EXPECT_OK(seiche_dense_fft_spectrum_box(fft, &waves));
  const int64_t n = seiche_box_volume(&mine);
  double *field = calloc((size_t)n + 1, sizeof *field), *slopes = calloc((size_t)(3 * n) + 1, sizeof *slopes);
  EXPECT_OK(seiche_grid_operator_create(&gradient, fft, cube, SEICHE_KERNEL_GRADIENT, 0));
  int64_t inputs = 0, outputs = 0, memory = -1;
  EXPECT_OK(seiche_grid_operator_fields(gradient, &inputs, &outputs));
  EXPECT(inputs == 1 && outputs == 3);
  EXPECT_OK(seiche_grid_operator_memory(gradient, &memory));
  EXPECT(memory == 3 * 8 * seiche_box_volume(&waves)); /* imaginary numbers */

  EXPECT_FAULT(seiche_grid_operator_create(&other, fft, flat, SEICHE_KERNEL_COULOMB, 0), SEICHE_BAD_ARGUMENT,
               "grid_operator: the lattice vectors must be linearly independent");
  EXPECT(other == NULL);
  EXPECT_FAULT(seiche_grid_operator_create_from(&other, fft, 1, 1, NULL, 0), SEICHE_BAD_ARGUMENT,
               "grid_operator: wrong number of factors");
  EXPECT_FAULT(seiche_grid_operator_apply(gradient, field, n, slopes, 3 * n + 1), SEICHE_BAD_ARGUMENT,
               "grid_operator: wrong size of the outputs");
  const int last = rank == ranks - 1; /* it cannot make a call */
  EXPECT_FAULT(last ? seiche_grid_operator_refuse(gradient, SEICHE_MISUSE, "no field")
                    : seiche_grid_operator_apply(gradient, field, n, slopes, 3 * n),
               SEICHE_MISUSE, "no field");
  EXPECT_OK(seiche_dense_fft_destroy(&fft)); /* the operator keeps its data */
  EXPECT_OK(seiche_grid_operator_apply(gradient, field, n, slopes, 3 * n));
  EXPECT_OK(seiche_grid_operator_destroy(&gradient));
  EXPECT_OK(seiche_grid_operator_destroy(&gradient));
  EXPECT(seiche_open_handles() == 0);
  free(slopes);
  free(field);
  const int result = verdict();
  MPI_Finalize();
  return result;
}
