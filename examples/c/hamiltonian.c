/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  H|psi> of many bands, and their density. The kinetic energy is applied to the plane waves, the potential on
 * the grid. Exchanges of some bands overlap with computation of others. The potential 2 cos x couples each coefficient
 * to its two neighbours. With the argument `cuda`, transforms run on a CUDA device. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

enum { bands = 8, radius = 5, width = 2 * radius + 1, most = width * width * width };

/* Returns the coefficient of wave (x, y, z) of a band; 0 outside the sphere. */
static double coefficient(int band, seiche_miller g) {
  const int length = g.x * g.x + g.y * g.y + g.z * g.z;
  return length > radius * radius ? 0 : 1.0 / (1 + length + band);
}

/* Returns the waves that balanced_owners assigns to this rank. */
static int64_t my_waves(seiche_miller* mine) {
  static seiche_miller all[most];
  static int owners[most];
  int64_t count = 0, kept = 0;
  int rank, ranks;
  seiche_miller g;
  for (g.x = -radius; g.x <= radius; ++g.x) {
    for (g.y = -radius; g.y <= radius; ++g.y) {
      for (g.z = -radius; g.z <= radius; ++g.z) {
        if (coefficient(0, g) != 0) all[count++] = g;
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

/* Collective. Returns the deviation between the mean density and the norm of the coefficients. */
static double difference(const double* density, int64_t points, double all_points, const double complex* psi,
                         int64_t count) {
  double here = 0, all;
  for (int64_t i = 0; i < points; ++i) here += density[i] / all_points;
  for (int64_t i = 0; i < count; ++i) here -= 2 * creal(psi[i] * conj(psi[i]));
  MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return fabs(all) / (2 * bands);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static seiche_miller waves[most];
  const int64_t count = my_waves(waves);
  double complex* psi = malloc((size_t)(bands * count + 1) * sizeof *psi);
  double complex* h_psi = malloc((size_t)(bands * count + 1) * sizeof *h_psi);
  for (int band = 0; band < bands; ++band) {
    for (int64_t i = 0; i < count; ++i) {
      psi[band * count + i] = coefficient(band, waves[i]);
    }
  }

  /* [sphere] */
  const int64_t shape[3] = {16, 15, 18};
  seiche_fft_options options;
  check(seiche_fft_options_init(&options));
  if (argc > 1 && strcmp(argv[1], "cuda") == 0) options.space = SEICHE_SPACE_CUDA;
  options.window = 3;       /* bands in flight at once */
  options.reproducible = 1; /* the same bits in every run */
  seiche_sphere_fft* fft;
  check(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count, &options));
  seiche_box mine;
  check(seiche_sphere_fft_grid_box(fft, &mine));
  const int64_t points = seiche_box_volume(&mine);
  double* potential = malloc((size_t)(points + 1) * sizeof *potential);
  for (int64_t i = 0; i < points; ++i) { /* rows along x are whole */
    potential[i] = 2 * cos(2 * acos(-1.0) * (double)(i % shape[0]) / (double)shape[0]);
  }
  const int64_t all = bands * count;
  check(seiche_sphere_fft_apply_potential(fft, psi, all, 0, h_psi, all, 0, bands, potential, points));
  /* [/sphere] */
  /* [density] */
  double* density = calloc((size_t)(points + 1), sizeof *density);
  double weights[bands]; /* electrons in each band */
  for (int band = 0; band < bands; ++band) weights[band] = 2;
  check(seiche_sphere_fft_add_density(fft, psi, all, 0, bands, weights, bands, density, points));
  /* [/density] */

  double error = difference(density, points, (double)(shape[0] * shape[1] * shape[2]), psi, bands * count);
  for (int band = 0; band < bands; ++band) {
    for (int64_t i = 0; i < count; ++i) {
      const seiche_miller g = waves[i], left = {g.x - 1, g.y, g.z}, right = {g.x + 1, g.y, g.z};
      const double kinetic = 0.5 * (g.x * g.x + g.y * g.y + g.z * g.z) * coefficient(band, g);
      const double expected = kinetic + coefficient(band, left) + coefficient(band, right);
      h_psi[band * count + i] += kinetic;
      error = fmax(error, cabs(h_psi[band * count + i] - expected));
    }
  }
  check(seiche_sphere_fft_destroy(&fft));
  const int code = answer("hamiltonian", error, 1e-13, (const double*)h_psi, 2 * bands * count);
  free(density);
  free(potential);
  free(h_psi);
  free(psi);
  MPI_Finalize();
  return code;
}
