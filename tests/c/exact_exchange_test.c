/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Exact exchange from C: reports, calls that fail, and calls that one rank refuses. */
#include "expect.h"
#include "values.h"

int main(int argc, char** argv) {
  const int64_t shape[3] = {12, 12, 12};
  const seiche_miller wave = {0, 0, 0};
  const double half[2] = {0.5, 0.5};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t n = rank == 0;
  double complex in[2] = {1, 2}, out[2];
  double kernel[2] = {1, 1};
  seiche_exact_exchange *exchange, *other;
  seiche_occupied_orbitals *occupied, *refused;
  seiche_pending* pending;
  seiche_box box;
  EXPECT_OK(seiche_exact_exchange_create(&exchange, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, &wave, n, &wave, n,
                                         NULL, 2));
  EXPECT_OK(seiche_exact_exchange_occupied(&occupied, exchange, in, 2 * n, 0, half, 2));
  int64_t number = 0, memory = 0, here = 0;
  EXPECT_OK(seiche_occupied_orbitals_count(occupied, &number, &memory));
  EXPECT(number == 2 && memory > 0);
  EXPECT_OK(seiche_exact_exchange_grid_box(exchange, &box));
  EXPECT_OK(seiche_exact_exchange_bands_here(exchange, 2, &here));
  EXPECT(here == 2);
  EXPECT_OK(seiche_exact_exchange_apply(exchange, occupied, kernel, n, in, n, 0, out, n, 0, 1));
  EXPECT(n == 0 || cabs(out[0] + 0.5 * (1 + 4)) < 1e-12); /* -sum_j f_j |c_j|^2 */
  EXPECT_OK(seiche_exact_exchange_start_apply(&pending, exchange, occupied, kernel, n + 1, in, n, 0, out, n, 0, 1));
  EXPECT_FAULT(seiche_pending_finish(pending), SEICHE_BAD_ARGUMENT, "kernel");
  EXPECT_OK(seiche_pending_destroy(&pending));

  seiche_exact_report report = {0};
  seiche_progress_report progress = {0};
  report.size = sizeof report, progress.size = sizeof progress;
  EXPECT_OK(seiche_exact_exchange_report(exchange, &report));
  EXPECT(report.batch == 2 && report.memory > 0 && report.band_groups == 1 && report.algorithm[0] != 0);
  EXPECT_OK(seiche_exact_exchange_progress(exchange, &progress));
  EXPECT(progress.worked > 0);
  const int last = rank == ranks - 1; /* it cannot make a call */
  EXPECT_FAULT(last ? seiche_exact_exchange_refuse(exchange, SEICHE_MISUSE, "no targets")
                    : seiche_exact_exchange_apply(exchange, occupied, kernel, n, in, n, 0, out, n, 0, 1),
               SEICHE_MISUSE, "no targets");
  void* grid = new_values(2 * seiche_box_volume(&box));
  EXPECT_FAULT(
      last ? seiche_exact_exchange_refuse(exchange, SEICHE_MISUSE, "no values")
           : seiche_exact_exchange_occupied_on_grid(&refused, exchange, grid, 2 * seiche_box_volume(&box), half, 2),
      SEICHE_MISUSE, "no values");
  free(grid);
  EXPECT_FAULT(seiche_exact_exchange_create(&other, MPI_COMM_WORLD, SEICHE_FLOAT, shape, &wave, n, &wave, n, NULL, 0),
               SEICHE_UNSUPPORTED, "single precision is not supported");
  EXPECT(other == NULL);
  EXPECT_OK(seiche_exact_exchange_create(&other, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, n, &wave, n, NULL, 0));
  EXPECT_FAULT(seiche_exact_exchange_apply(other, occupied, kernel, n, in, n, 0, out, n, 0, 1), SEICHE_BAD_ARGUMENT,
               "the occupied orbitals have another type of values");
  EXPECT_OK(seiche_exact_exchange_destroy(&other));
  EXPECT_OK(seiche_exact_exchange_destroy(&exchange));
  EXPECT_OK(seiche_occupied_orbitals_destroy(&occupied));
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
