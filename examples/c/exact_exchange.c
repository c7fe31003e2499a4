/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Exact exchange of electrons in a box without a potential. Their orbitals are plane waves, and the exchange
 * operator is diagonal: V_x |G> = -sum_j weight_j K(G - G_j) |G>. Orbitals of a k-point interact with those of another
 * one in the same way, with K(G + q). */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { radius = 3, width = 4 * radius + 1, most = width * width * width, bands = 7 };
static const double length = 10; /* edge of the cubic box, bohr */
static const seiche_miller filled[bands] = {{0, 0, 0},  {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                                            {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

/* The interaction 4 pi / (volume |G + q|^2). The value at G + q = 0 is a choice of the method. */
static double interaction(seiche_miller g, double q) {
  const double pi = acos(-1.0), unit = 2 * pi / length;
  const double square = unit * unit * ((g.x + q) * (g.x + q) + g.y * g.y + g.z * g.z);
  return square > 0 ? 4 * pi / (length * length * length * square) : 0.05;
}

/* Returns the waves of a sphere that balanced_owners assigns to this rank. */
static int64_t my_sphere(int around, seiche_miller* mine) {
  static seiche_miller all[most];
  static int owners[most];
  int64_t count = 0, kept = 0;
  int rank, ranks;
  seiche_miller g;
  for (g.x = -around; g.x <= around; ++g.x) {
    for (g.y = -around; g.y <= around; ++g.y) {
      for (g.z = -around; g.z <= around; ++g.z) {
        if (g.x * g.x + g.y * g.y + g.z * g.z <= around * around) all[count++] = g;
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

/* Returns the eigenvalue of V_x for an orbital. */
static double eigenvalue(int band, double q) {
  double sum = 0;
  for (int j = 0; j < bands; ++j) {
    const seiche_miller difference = {filled[band].x - filled[j].x, filled[band].y - filled[j].y,
                                      filled[band].z - filled[j].z};
    sum -= interaction(difference, q);
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static seiche_miller waves[most], density_waves[most];
  static double kernel[most];
  const int64_t wave_count = my_sphere(radius, waves), density_count = my_sphere(2 * radius, density_waves);
  const int64_t count = bands * wave_count;
  double complex* psi = malloc((size_t)(count + 1) * sizeof *psi); /* each orbital is one plane wave */
  double complex* v_psi = malloc((size_t)(count + 1) * sizeof *v_psi);
  double weights[bands]; /* electrons of one spin in each orbital */
  for (int band = 0; band < bands; ++band) {
    weights[band] = 1;
    for (int64_t i = 0; i < wave_count; ++i) {
      psi[band * wave_count + i] = memcmp(&waves[i], &filled[band], sizeof *waves) == 0;
    }
  }

  /* [exchange] */
  seiche_fft_options options;
  check(seiche_fft_options_init(&options));
  options.reproducible = 1; /* the same bits in every run */
  const int64_t shape[3] = {15, 14, 16};
  seiche_exact_exchange* exchange;
  check(seiche_exact_exchange_create(&exchange, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, wave_count,
                                     density_waves, density_count, &options, 0));
  seiche_occupied_orbitals* occupied;
  check(seiche_exact_exchange_occupied(&occupied, exchange, psi, count, 0, weights, bands));

  double energy;
  for (int64_t i = 0; i < density_count; ++i) kernel[i] = interaction(density_waves[i], 0);
  check(seiche_exact_exchange_apply(exchange, occupied, kernel, density_count, psi, count, 0, v_psi, count, 0, bands));
  check(
      seiche_exact_exchange_energy(exchange, occupied, kernel, density_count, psi, count, 0, weights, bands, &energy));
  /* [/exchange] */
  /* [kpoints] */
  const double q = 0.25; /* k - k', here along x */
  for (int64_t i = 0; i < density_count; ++i) kernel[i] = interaction(density_waves[i], q);
  check(seiche_exact_exchange_add(exchange, occupied, kernel, density_count, psi, count, 0, v_psi, count, 0, bands));
  /* [/kpoints] */

  double error = 0, expected_energy = 0;
  for (int band = 0; band < bands; ++band) {
    const double at_zero = eigenvalue(band, 0), at_q = eigenvalue(band, q);
    expected_energy += 0.5 * at_zero;
    for (int64_t i = band * wave_count; i < (band + 1) * wave_count; ++i) {
      error = fmax(error, cabs(v_psi[i] - (at_zero + at_q) * psi[i]));
    }
  }
  error = fmax(error, fabs(energy - expected_energy));
  check(seiche_occupied_orbitals_destroy(&occupied));
  check(seiche_exact_exchange_destroy(&exchange));
  const int code = answer("exact_exchange", error, 1e-13, (const double*)v_psi, 2 * count);
  free(v_psi);
  free(psi);
  MPI_Finalize();
  return code;
}
