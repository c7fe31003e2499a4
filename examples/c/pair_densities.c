/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Static polarisability of electrons in a box without a potential. Their orbitals are plane waves, so that
 * rho_ij(G) is 1 if G = G_j - G_i, else 0. The polarisability is diagonal: chi(G) = 4 / volume sum_ij |rho_ij(G)|^2 /
 * (e_i - e_j), for filled i and empty j. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { radius = 2, most = 125 };
static const double length = 10; /* edge of the cubic box, bohr */
static seiche_miller filled[most], empty[most];
static int64_t filled_count = 0, empty_count = 0;

static double energy(seiche_miller g) {
  const double unit = 2 * acos(-1.0) / length;
  return 0.5 * unit * unit * (g.x * g.x + g.y * g.y + g.z * g.z);
}

/* Returns one orbital for each wave, on the waves of this rank. */
static double complex* plane_waves(const seiche_miller* orbitals, int64_t count, const seiche_miller* mine,
                                   int64_t waves) {
  double complex* psi = malloc((size_t)(count * waves + 1) * sizeof *psi);
  for (int64_t i = 0; i < count * waves; ++i) {
    psi[i] = memcmp(&mine[i % waves], &orbitals[i / waves], sizeof *mine) == 0;
  }
  return psi;
}

/* [function] */
static int add_pairs(const seiche_pair_block* block, void* user) {
  double* chi = user;
  const double complex* rho = block->densities;
  for (int64_t p = 0; p < block->count; ++p) {
    const double gap = energy(filled[block->pairs[2 * p]]) - energy(empty[block->pairs[2 * p + 1]]);
    const double factor = 4 / (length * length * length * gap);
    for (int64_t g = 0; g < block->waves; ++g, ++rho) {
      chi[g] += factor * (creal(*rho) * creal(*rho) + cimag(*rho) * cimag(*rho));
    }
  }
  return 0;
}
/* [/function] */

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static seiche_miller all[most], waves[most]; /* waves: of this rank, also for the densities */
  static int owners[most];
  static double chi[most];
  static double complex transitions[most], ones[most * most];
  int64_t count = 0;
  int rank, ranks;
  seiche_miller g;
  for (g.x = -radius; g.x <= radius; ++g.x) {
    for (g.y = -radius; g.y <= radius; ++g.y) {
      for (g.z = -radius; g.z <= radius; ++g.z) {
        const int square = g.x * g.x + g.y * g.y + g.z * g.z;
        if (square <= 1) filled[filled_count++] = g;
        if (square > 1 && square <= radius * radius) empty[empty_count++] = g;
      }
    }
  }
  memcpy(all, filled, (size_t)filled_count * sizeof *all);
  memcpy(all + filled_count, empty, (size_t)empty_count * sizeof *all);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(seiche_balanced_owners(all, filled_count + empty_count, ranks, owners, filled_count + empty_count));
  for (int64_t i = 0; i < filled_count + empty_count; ++i) {
    if (owners[i] == rank) waves[count++] = all[i];
  }
  double complex* psi_filled = plane_waves(filled, filled_count, waves, count);
  double complex* psi_empty = plane_waves(empty, empty_count, waves, count);
  for (int64_t i = 0; i < filled_count * empty_count; ++i) ones[i] = 1;

  /* [pairs] */
  seiche_fft_options options;
  check(seiche_fft_options_init(&options));
  options.reproducible = 1; /* the same bits in every run */
  const int64_t shape[3] = {15, 14, 16};
  seiche_pair_densities* densities;
  seiche_grid_orbitals *left, *right;
  check(seiche_pair_densities_create(&densities, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count, &options,
                                     0));
  check(seiche_pair_densities_orbitals(&left, densities, waves, count, psi_filled, filled_count * count, 0,
                                       filled_count));
  check(
      seiche_pair_densities_orbitals(&right, densities, waves, count, psi_empty, empty_count * count, 0, empty_count));

  check(seiche_pair_densities_compute(densities, left, right, add_pairs, chi));
  check(seiche_pair_densities_sum(densities, left, right, ones, filled_count * empty_count, transitions, count, 0, 1));
  /* [/pairs] */

  double error = 0;
  for (int64_t w = 0; w < count; ++w) {
    double expected = 0, number = 0;
    for (int64_t i = 0; i < filled_count; ++i) {
      const seiche_miller other = {filled[i].x + waves[w].x, filled[i].y + waves[w].y, filled[i].z + waves[w].z};
      for (int64_t j = 0; j < empty_count; ++j) {
        if (memcmp(&other, &empty[j], sizeof other) != 0) continue;
        expected += 4 / (length * length * length * (energy(filled[i]) - energy(other)));
        number += 1;
      }
    }
    error = fmax(error, fmax(fabs(chi[w] - expected), cabs(transitions[w] - number)));
  }
  check(seiche_grid_orbitals_destroy(&left));
  check(seiche_grid_orbitals_destroy(&right));
  check(seiche_pair_densities_destroy(&densities));
  const int code = answer("pair_densities", error, 1e-13, chi, count);
  free(psi_filled);
  free(psi_empty);
  MPI_Finalize();
  return code;
}
