/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Electrostatic potential of an isolated Gaussian charge, and the gradient of its density. The potential is
 * erf(r / sqrt(2)) / r, and the gradient of the density n is -r n. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { n = 24 };
static const double length = 14; /* edge of the cubic box, bohr */

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double pi = acos(-1.0);

  /* [plan] */
  seiche_fft_options options;
  check(seiche_fft_options_init(&options));
  options.reproducible = 1; /* the same bits in every run */
  const int64_t shape[3] = {n, n, n};
  seiche_dense_fft* fft;
  check(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options));
  seiche_box mine; /* the part of the grid that this rank has */
  check(seiche_dense_fft_grid_box(fft, &mine));
  const int64_t points = seiche_box_volume(&mine);
  /* [/plan] */
  double* places = malloc((size_t)(3 * points + 1) * sizeof *places);
  double* density = malloc((size_t)(points + 1) * sizeof *density);
  double* potential = malloc((size_t)(points + 1) * sizeof *potential);
  double* slopes = malloc((size_t)(3 * points + 1) * sizeof *slopes);
  const double spacing = length / n;
  int64_t here = 0;
  for (int64_t k = mine.low[2]; k < mine.high[2]; ++k) {
    for (int64_t j = mine.low[1]; j < mine.high[1]; ++j) {
      for (int64_t i = mine.low[0]; i < mine.high[0]; ++i, ++here) {
        const double x = spacing * (double)(i - n / 2), y = spacing * (double)(j - n / 2),
                     z = spacing * (double)(k - n / 2);
        places[3 * here] = x;
        places[3 * here + 1] = y;
        places[3 * here + 2] = z;
        density[here] = exp(-0.5 * (x * x + y * y + z * z)) / pow(2 * pi, 1.5);
      }
    }
  }

  /* [operators] */
  const double lattice[9] = {length, 0, 0, 0, length, 0, 0, 0, length};
  seiche_grid_operator *poisson, *gradient;
  check(seiche_grid_operator_create(&poisson, fft, lattice, SEICHE_KERNEL_ISOLATED, 0));
  check(seiche_grid_operator_create(&gradient, fft, lattice, SEICHE_KERNEL_GRADIENT, 0));

  check(seiche_grid_operator_apply(poisson, density, points, potential, points)); /* hartree */
  check(seiche_grid_operator_apply(gradient, density, points, slopes, 3 * points));
  /* [/operators] */

  double error = 0;
  for (int64_t p = 0; p < points; ++p) {
    const double x = places[3 * p], y = places[3 * p + 1], z = places[3 * p + 2], r = sqrt(x * x + y * y + z * z);
    for (int c = 0; c < 3; ++c) error = fmax(error, fabs(slopes[c * points + p] + places[3 * p + c] * density[p]));
    if (r > 2) continue; /* near the faces of the box, the potential is not that of the charge */
    const double exact = r == 0 ? sqrt(2 / pi) : erf(r / sqrt(2.0)) / r;
    error = fmax(error, fabs(potential[p] - exact));
  }
  check(seiche_grid_operator_destroy(&poisson));
  check(seiche_grid_operator_destroy(&gradient));
  check(seiche_dense_fft_destroy(&fft));
  const int code = answer("grid_operator", error, 1e-5, potential, points);
  free(slopes);
  free(potential);
  free(density);
  free(places);
  MPI_Finalize();
  return code;
}
