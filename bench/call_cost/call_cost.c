/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Seconds of a call from C beside those of the same call from C++ and Fortran: V|psi> of 8 bands of a sphere on
 * 32^3. Median of rounds in which the languages take turns. */
#include <mpi.h>
#include <seiche.h>
#include <stdio.h>
#include <stdlib.h>

enum { bands = 8, side = 32, radius = 8, width = 2 * radius + 1, rounds = 401, languages = 3 };

/* call_cost_cxx.cpp and call_cost_fortran.f90 */
void seiche_bench_cxx_create(const seiche_miller* waves, int64_t count);
void seiche_bench_cxx_apply(const double* in, double* out, const double* potential, int64_t count, int64_t points);
void seiche_bench_cxx_destroy(void);
void seiche_bench_fortran_create(const seiche_miller* waves, int64_t count);
void seiche_bench_fortran_apply(const double* in, double* out, const double* potential, int64_t count, int64_t points);
void seiche_bench_fortran_destroy(void);

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void check(seiche_status status) {
  if (status == SEICHE_OK) return;
  fprintf(stderr, "%s\n", seiche_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The waves of this rank. */
static int64_t my_waves(seiche_miller* mine) {
  static seiche_miller all[width * width * width];
  static int owners[width * width * width];
  int64_t count = 0, kept = 0;
  int rank, ranks;
  for (int32_t x = -radius; x <= radius; ++x) {
    for (int32_t y = -radius; y <= radius; ++y) {
      for (int32_t z = -radius; z <= radius; ++z) {
        const seiche_miller g = {x, y, z};
        if (x * x + y * y + z * z <= radius * radius) all[count++] = g;
      }
    }
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(seiche_balanced_owners(all, count, ranks, owners, count));
  for (int64_t i = 0; i < count; ++i) {
    if (owners[i] == rank) mine[kept++] = all[i];
  }
  return kept;
}

int main(int argc, char** argv) {
  static seiche_miller waves[width * width * width];
  static double seconds[languages][rounds], ratios[languages][rounds];
  static const char* names[languages] = {"C++", "C", "Fortran"};
  const int64_t shape[3] = {side, side, side};
  MPI_Init(&argc, &argv);
  const int64_t count = my_waves(waves);
  seiche_sphere_fft* fft;
  seiche_box box;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count, NULL));
  check(seiche_sphere_fft_grid_box(fft, &box));
  const int64_t points = seiche_box_volume(&box);
  double* in = calloc((size_t)(2 * bands * count + 1), sizeof *in);
  double* out = calloc((size_t)(2 * bands * count + 1), sizeof *out);
  double* potential = calloc((size_t)(points + 1), sizeof *potential);
  seiche_bench_cxx_create(waves, count);
  seiche_bench_fortran_create(waves, count);
  for (int r = 0; r < rounds; ++r) {
    for (int turn = 0; turn < languages; ++turn) {
      const int l = (r + turn) % languages;
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      if (l == 0) seiche_bench_cxx_apply(in, out, potential, count, points);
      if (l == 1) {
        check(seiche_sphere_fft_apply_potential(fft, in, bands * count, 0, out, bands * count, 0, bands, potential,
                                                points));
      }
      if (l == 2) seiche_bench_fortran_apply(in, out, potential, count, points);
      seconds[l][r] = MPI_Wtime() - start;
    }
    for (int l = 0; l < languages; ++l) ratios[l][r] = seconds[l][r] / seconds[0][r];
  }
  for (int l = 0; l < languages; ++l) {
    qsort(seconds[l], rounds, sizeof(double), by_size);
    qsort(ratios[l], rounds, sizeof(double), by_size);
    if (rank == 0) {
      printf("%-8s %9.1f us, %.4f of C++\n", names[l], 1e6 * seconds[l][rounds / 2], ratios[l][rounds / 2]);
    }
  }
  seiche_bench_fortran_destroy();
  seiche_bench_cxx_destroy();
  check(seiche_sphere_fft_destroy(&fft));
  free(potential);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
