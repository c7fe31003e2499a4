/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  One FFT of a dense grid: a plane wave on the grid has one coefficient. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "answer.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  /* [fft] */
  const int64_t shape[3] = {12, 10, 9};
  seiche_dense_fft* fft;
  check(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, NULL));
  seiche_box mine, waves; /* the part of the grid that this rank holds, and that of the spectrum */
  check(seiche_dense_fft_grid_box(fft, &mine));
  check(seiche_dense_fft_spectrum_box(fft, &waves));
  const int64_t points = seiche_box_volume(&mine), coefficients = seiche_box_volume(&waves);
  double complex* grid = malloc((size_t)points * sizeof *grid);
  double complex* spectrum = malloc((size_t)coefficients * sizeof *spectrum);
  /* [/fft] */

  /* exp(i G.r) with G = (1, 2, 4), x fastest */
  const double turn = 2 * acos(-1.0);
  int64_t here = 0;
  for (int64_t z = mine.low[2]; z < mine.high[2]; ++z) {
    for (int64_t y = mine.low[1]; y < mine.high[1]; ++y) {
      for (int64_t x = mine.low[0]; x < mine.high[0]; ++x) {
        const double angle = turn * (double)((15 * x + 36 * y + 80 * z) % 180) / 180; /* x/12 + 2y/10 + 4z/9 */
        grid[here++] = cos(angle) + I * sin(angle);
      }
    }
  }
  check(seiche_dense_fft_forward(fft, grid, points, spectrum, coefficients));

  double error = 0;
  here = 0;
  for (int64_t z = waves.low[2]; z < waves.high[2]; ++z) {
    for (int64_t y = waves.low[1]; y < waves.high[1]; ++y) {
      for (int64_t x = waves.low[0]; x < waves.high[0]; ++x) {
        const double expected = x == 1 && y == 2 && z == 4 ? 1 : 0;
        error = fmax(error, cabs(spectrum[here++] - expected));
      }
    }
  }
  check(seiche_dense_fft_destroy(&fft));
  const int code = answer("one_fft", error, 1e-14, (const double*)spectrum, 2 * coefficients);
  free(spectrum);
  free(grid);
  MPI_Finalize();
  return code;
}
