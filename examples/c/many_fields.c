/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Many FFTs in one call, in existing arrays: interleaved fields, planes in blocks of ceil(n/ranks). */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { fields = 8, nx = 12, ny = 10, nz = 9 };

/* Returns this rank's part of [0, n), as FFTW-MPI distributes it. The last ranks may have none. */
static void block_of(int64_t n, int ranks, int rank, int64_t* low, int64_t* high) {
  const int64_t size = (n + ranks - 1) / ranks;
  *low = rank * size < n ? rank * size : n;
  *high = *low + size < n ? *low + size : n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  /* [many] */
  const int64_t shape[3] = {nx, ny, nz};
  seiche_box planes = {{0, 0, 0}, {nx, ny, nz}}, columns = planes;
  block_of(nz, ranks, rank, &planes.low[2], &planes.high[2]);
  block_of(ny, ranks, rank, &columns.low[1], &columns.high[1]);
  const seiche_dense_arrays arrays = {.size = sizeof arrays,
                                      .fields = fields,
                                      .grid = seiche_interleaved(&planes, fields),
                                      .spectrum = seiche_interleaved(&columns, fields)};
  seiche_fft_options options;
  seiche_fft_options_init(&options);
  options.reproducible = 1;
  seiche_dense_fft* fft;
  check(seiche_dense_fft_create_for(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, &arrays, &options));
  const int64_t values = fields * seiche_box_volume(&planes), coefficients = fields * seiche_box_volume(&columns);
  double complex* grid = malloc((size_t)values * sizeof *grid + 1);
  double complex* spectrum = malloc((size_t)coefficients * sizeof *spectrum + 1);
  /* [/many] */

  /* exp(i G.r) with G = (1, 2, f) in field f */
  const double turn = 2 * acos(-1.0);
  int64_t here = 0;
  for (int64_t z = planes.low[2]; z < planes.high[2]; ++z) {
    for (int64_t y = 0; y < ny; ++y) {
      for (int64_t x = 0; x < nx; ++x) {
        for (int64_t f = 0; f < fields; ++f) {
          const double angle = turn * (double)((15 * x + 36 * y + 20 * f * z) % 180) / 180;
          grid[here++] = cos(angle) + I * sin(angle);
        }
      }
    }
  }
  check(seiche_dense_fft_forward(fft, grid, values, spectrum, coefficients));

  double error = 0;
  here = 0;
  for (int64_t z = 0; z < nz; ++z) {
    for (int64_t y = columns.low[1]; y < columns.high[1]; ++y) {
      for (int64_t x = 0; x < nx; ++x) {
        for (int64_t f = 0; f < fields; ++f) {
          const double expected = x == 1 && y == 2 && z == f ? 1 : 0;
          error = fmax(error, cabs(spectrum[here++] - expected));
        }
      }
    }
  }
  check(seiche_dense_fft_destroy(&fft));
  const int code = answer("many_fields", error, 1e-14, (const double*)spectrum, 2 * coefficients);
  free(spectrum);
  free(grid);
  MPI_Finalize();
  return code;
}
