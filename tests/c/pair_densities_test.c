/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Pair densities from C: reports, callbacks and calls that fail, and calls that one rank refuses. */
#include "expect.h"
#include "values.h"

static int count_pairs(const seiche_pair_block* block, void* user) {
  *(int64_t*)user += block->count;
  return 0;
}
static int fail(const seiche_pair_block* block, void* user) {
  (void)block;
  return *(int*)user;
}
static int refuse(const seiche_pair_block* block, void* user) {
  (void)block;
  (void)user;
  return seiche_refuse(SEICHE_UNSUPPORTED, "metals have no gap");
}

int main(int argc, char** argv) {
  const int64_t shape[3] = {12, 12, 12};
  const seiche_miller wave = {0, 0, 0};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t n = rank == 0;
  const double complex in[2] = {1, 2}, factors[4] = {1, 1, 1, 1};
  double complex out[1] = {0};
  seiche_pair_densities *densities, *other;
  seiche_grid_orbitals *orbitals, *refused;
  seiche_pending* pending;
  EXPECT_OK(seiche_pair_densities_create(&densities, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, &wave, n, NULL, 3));
  EXPECT_OK(seiche_pair_densities_orbitals(&orbitals, densities, &wave, n, in, 2 * n, 0, 2));
  int64_t number = 0, memory = 0, pairs = 0;
  EXPECT_OK(seiche_grid_orbitals_count(orbitals, &number, &memory));
  EXPECT(number == 2 && memory > 0);
  EXPECT_OK(seiche_pair_densities_compute(densities, orbitals, orbitals, count_pairs, &pairs));
  EXPECT(pairs == 4);
  EXPECT_OK(seiche_pair_densities_start_compute(&pending, densities, orbitals, orbitals, count_pairs, &pairs));
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_OK(seiche_pending_destroy(&pending));
  EXPECT(pairs == 8);
  EXPECT_OK(seiche_pair_densities_sum(densities, orbitals, orbitals, factors, 4, out, n, 0, 1));
  EXPECT(n == 0 || cabs(out[0] - 9) < 1e-12); /* (1 + 2)^2 */

  int code = rank == ranks - 1 ? 7 : 0;
  EXPECT_FAULT(seiche_pair_densities_compute(densities, orbitals, orbitals, fail, &code), SEICHE_BAD_ARGUMENT,
               "the callback returned 7 for pairs from (0, 0) (counted from 0): return 0 on success");
  EXPECT_FAULT(seiche_pair_densities_compute(densities, orbitals, orbitals, refuse, NULL), SEICHE_UNSUPPORTED,
               "metals have no gap");
  EXPECT_FAULT(seiche_pair_densities_compute(densities, orbitals, orbitals, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "pair_densities: the callback must not be NULL");
  const int last = rank == ranks - 1; /* it cannot make a call */
  EXPECT_FAULT(last ? seiche_pair_densities_refuse(densities, SEICHE_MISUSE, "no orbitals")
                    : seiche_pair_densities_orbitals(&refused, densities, &wave, n, in, 2 * n, 0, 2),
               SEICHE_MISUSE, "no orbitals");

  seiche_pair_report report = {0};
  seiche_progress_report progress = {0};
  report.size = sizeof report, progress.size = sizeof progress;
  EXPECT_OK(seiche_pair_densities_report(densities, &report));
  EXPECT(report.block == 3 && report.memory > 0 && report.band_groups == 1 && report.algorithm[0] != 0);
  EXPECT_OK(seiche_pair_densities_progress(densities, &progress));
  EXPECT(progress.worked > 0);
  EXPECT_OK(seiche_pair_densities_create(&other, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, n, NULL, 0));
  EXPECT_FAULT(seiche_pair_densities_compute(other, orbitals, orbitals, count_pairs, &pairs), SEICHE_BAD_ARGUMENT,
               "pair_densities: the orbitals have another type of values");
  EXPECT_OK(seiche_pair_densities_destroy(&other));
  EXPECT_OK(seiche_pair_densities_destroy(&densities));
  EXPECT_OK(seiche_grid_orbitals_destroy(&orbitals));
  EXPECT(seiche_open_handles() == 0);
  const int result = verdict();
  MPI_Finalize();
  return result;
}
