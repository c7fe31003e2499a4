/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Exact exchange from C: plane waves are eigenfunctions, with V_x |G> = -sum_j f_j K(G - G_j) |G>. */
#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {12, 12, 12};
enum { radius = 2, most_waves = 125, most_density_waves = 729, targets = 3, filled = 2 };
/* Occupied orbitals are plane waves 0 and 1 of this list, target orbitals all three. */
static const seiche_miller orbitals[targets] = {{0, 0, 0}, {1, 0, 0}, {0, 1, -1}};
static const double weights[targets] = {1, 0.5, 0};

static int rank, ranks;

static double kernel_at(int x, int y, int z) { return 1.0 / (1 + x * x + 2 * y * y + 3 * z * z); }

/* The waves of a cube that this rank has; in one half of space if `half`. */
static int64_t cube(int half_edge, int half, seiche_miller* waves) {
  int64_t all = 0, mine = 0;
  for (int x = -half_edge; x <= half_edge; ++x) {
    for (int y = -half_edge; y <= half_edge; ++y) {
      for (int z = -half_edge; z <= half_edge; ++z) {
        if (half && (x < 0 || (x == 0 && (y < 0 || (y == 0 && z < 0))))) continue;
        if (all++ % ranks == rank) waves[mine++] = (seiche_miller){x, y, z};
      }
    }
  }
  return mine;
}

/* Coefficients of some orbitals. A real orbital is the sum of two waves G and -G. */
static double complex* coefficients_of(const seiche_miller* waves, int64_t count, int number) {
  double complex* all = new_values(number * count);
  for (int b = 0; b < number; ++b) {
    for (int64_t i = 0; i < count; ++i) all[b * count + i] = memcmp(&waves[i], &orbitals[b], sizeof *waves) == 0;
  }
  return all;
}

static double* kernel_on(const seiche_miller* waves, int64_t count) {
  double* kernel = new_values(count);
  for (int64_t i = 0; i < count; ++i) kernel[i] = kernel_at(waves[i].x, waves[i].y, waves[i].z);
  return kernel;
}

/* Completes a started call, after a different number of calls of progress on each rank. */
static void finish(seiche_pending* pending) {
  int done = -1;
  for (int i = 0; i < 5 * rank; ++i) EXPECT_OK(seiche_pending_progress(pending, &done));
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_OK(seiche_pending_destroy(&pending));
}

static void complex_waves(void) {
  static seiche_miller waves[most_waves], density_waves[most_density_waves];
  const int64_t count = cube(radius, 0, waves), density_count = cube(2 * radius, 0, density_waves);
  double* kernel = kernel_on(density_waves, density_count);
  seiche_exact_exchange* exchange;
  seiche_occupied_orbitals *occupied, *again, *on_grid, *refused;
  EXPECT_OK(seiche_exact_exchange_create(&exchange, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count,
                                         density_waves, density_count, NULL, 2));
  double complex *in = coefficients_of(waves, count, targets), *out = new_values(targets * count);
  EXPECT_OK(seiche_exact_exchange_occupied(&occupied, exchange, in, targets * count, 0, weights, targets));
  EXPECT_OK(seiche_exact_exchange_occupied_of(&again, exchange, waves, count, in, filled * count, 0, weights, filled));
  int64_t number = 0, memory = 0, here = 0;
  EXPECT_OK(seiche_occupied_orbitals_count(occupied, &number, &memory));
  EXPECT(number == filled && memory > 0);

  EXPECT_OK(seiche_exact_exchange_apply(exchange, occupied, kernel, density_count, in, targets * count, 0, out,
                                        targets * count, 0, targets));
  EXPECT_OK(seiche_exact_exchange_add(exchange, again, kernel, density_count, in, targets * count, 0, out,
                                      targets * count, 0, targets));
  double error = 0, expected_energy = 0, energy = 0;
  for (int b = 0; b < targets; ++b) {
    double value = 0;
    for (int j = 0; j < filled; ++j) {
      value -= weights[j] *
               kernel_at(orbitals[b].x - orbitals[j].x, orbitals[b].y - orbitals[j].y, orbitals[b].z - orbitals[j].z);
    }
    for (int64_t i = 0; i < count; ++i) error = fmax(error, cabs(out[b * count + i] - 2 * value * in[b * count + i]));
    expected_energy += 0.5 * weights[b] * value;
  }
  EXPECT(error < 1e-12);
  EXPECT_OK(seiche_exact_exchange_energy(exchange, occupied, kernel, density_count, in, targets * count, 0, weights,
                                         targets, &energy));
  EXPECT(fabs(energy - expected_energy) < 1e-12);

  /* the occupied orbitals are the first two targets; `out` has twice their result */
  for (int add = 0; add < 2; ++add) {
    double complex* own = new_values(filled * count);
    EXPECT_OK(
        seiche_exact_exchange_apply_to_occupied(exchange, occupied, kernel, density_count, own, filled * count, 0, 0));
    if (add) {
      EXPECT_OK(seiche_exact_exchange_apply_to_occupied(exchange, occupied, kernel, density_count, own, filled * count,
                                                        0, 1));
    }
    for (int64_t i = 0; i < filled * count; ++i) error = fmax(error, cabs(own[i] - 0.5 * (1 + add) * out[i]));
    free(own);
  }
  EXPECT(error < 1e-12);

  seiche_pending* pending;
  double complex* later = new_values(targets * count);
  EXPECT_OK(seiche_exact_exchange_start_apply(&pending, exchange, occupied, kernel, density_count, in, targets * count,
                                              0, later, targets * count, 0, targets));
  finish(pending);
  EXPECT_OK(seiche_exact_exchange_start_add(&pending, exchange, again, kernel, density_count, in, targets * count, 0,
                                            later, targets * count, 0, targets));
  finish(pending);
  for (int64_t i = 0; i < targets * count; ++i) error = fmax(error, cabs(later[i] - out[i]));
  EXPECT(error < 1e-12);
  EXPECT_OK(seiche_exact_exchange_start_apply(&pending, exchange, occupied, kernel, density_count + 1, in, count, 0,
                                              later, count, 0, 1));
  EXPECT_FAULT(seiche_pending_finish(pending), SEICHE_BAD_ARGUMENT, "kernel");
  EXPECT_OK(seiche_pending_destroy(&pending));

  seiche_box box;
  EXPECT_OK(seiche_exact_exchange_grid_box(exchange, &box));
  EXPECT_OK(seiche_exact_exchange_bands_here(exchange, 2, &here));
  EXPECT(here == 2);
  const int64_t points = seiche_box_volume(&box);
  double complex* ones = new_values(2 * points);
  for (int64_t i = 0; i < 2 * points; ++i) ones[i] = 1;
  const double half[2] = {0.5, 0.5};
  EXPECT_OK(seiche_exact_exchange_occupied_on_grid(&on_grid, exchange, ones, 2 * points, half, 2));
  EXPECT_OK(seiche_exact_exchange_apply(exchange, on_grid, kernel, density_count, in, count, 0, out, count, 0, 1));
  for (int64_t i = 0; i < count; ++i) error = fmax(error, cabs(out[i] + in[i])); /* psi = 1 is wave 0, K(0) = 1 */
  EXPECT(error < 1e-12);

  seiche_exact_report report = {0};
  seiche_progress_report progress = {0};
  report.size = sizeof report, progress.size = sizeof progress;
  EXPECT_OK(seiche_exact_exchange_report(exchange, &report));
  EXPECT(report.batch == 2 && report.memory > 0 && report.band_groups == 1 && report.algorithm[0] != 0);
  EXPECT_OK(seiche_exact_exchange_progress(exchange, &progress));
  EXPECT(progress.worked > 0);
  EXPECT_FAULT(
      seiche_exact_exchange_apply(exchange, occupied, kernel, density_count + 1, in, count, 0, out, count, 0, 1),
      SEICHE_BAD_ARGUMENT, "kernel");
  const int last = rank == ranks - 1; /* it cannot make a call */
  EXPECT_FAULT(
      last ? seiche_exact_exchange_refuse(exchange, SEICHE_MISUSE, "no targets")
           : seiche_exact_exchange_apply(exchange, occupied, kernel, density_count, in, count, 0, out, count, 0, 1),
      SEICHE_MISUSE, "no targets");
  EXPECT_FAULT(last ? seiche_exact_exchange_refuse(exchange, SEICHE_MISUSE, "no values")
                    : seiche_exact_exchange_occupied_on_grid(&refused, exchange, ones, 2 * points, half, 2),
               SEICHE_MISUSE, "no values");
  EXPECT_OK(seiche_exact_exchange_destroy(&exchange));
  EXPECT_OK(seiche_occupied_orbitals_destroy(&occupied));
  EXPECT_OK(seiche_occupied_orbitals_destroy(&again));
  EXPECT_OK(seiche_occupied_orbitals_destroy(&on_grid));
  free(ones), free(in), free(out), free(later), free(kernel);
}

/* The constant orbital alone: V_x |G> = -K(G) |G>. */
static void real_waves(void) {
  static seiche_miller waves[most_waves], density_waves[most_density_waves];
  const int64_t count = cube(radius, 1, waves), density_count = cube(2 * radius, 1, density_waves);
  double* kernel = kernel_on(density_waves, density_count);
  seiche_exact_exchange *exchange, *other;
  seiche_occupied_orbitals* occupied;
  EXPECT_OK(seiche_exact_exchange_create(&exchange, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, waves, count, density_waves,
                                         density_count, NULL, 0));
  double complex *constant = coefficients_of(waves, count, 1), *in = new_values(count), *out = new_values(count);
  EXPECT_OK(seiche_exact_exchange_occupied(&occupied, exchange, constant, count, 0, weights, 1));
  for (int64_t i = 0; i < count; ++i) in[i] = 1 + waves[i].x + 0.5 * waves[i].z;
  EXPECT_OK(seiche_exact_exchange_apply(exchange, occupied, kernel, density_count, in, count, 0, out, count, 0, 1));
  double error = 0;
  for (int64_t i = 0; i < count; ++i) {
    error = fmax(error, cabs(out[i] + kernel_at(waves[i].x, waves[i].y, waves[i].z) * in[i]));
  }
  EXPECT(error < 1e-12);
  EXPECT_FAULT(seiche_exact_exchange_create(&other, MPI_COMM_WORLD, SEICHE_FLOAT, shape, waves, count, density_waves,
                                            density_count, NULL, 0),
               SEICHE_UNSUPPORTED, "single precision is not supported");
  EXPECT(other == NULL);
  EXPECT_OK(seiche_exact_exchange_create(&other, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count,
                                         density_waves, density_count, NULL, 0));
  EXPECT_FAULT(seiche_exact_exchange_apply(other, occupied, kernel, density_count, in, count, 0, out, count, 0, 1),
               SEICHE_BAD_ARGUMENT, "the occupied orbitals have another type of values");
  EXPECT_OK(seiche_exact_exchange_destroy(&other));
  EXPECT_OK(seiche_exact_exchange_destroy(&exchange));
  EXPECT_OK(seiche_occupied_orbitals_destroy(&occupied));
  free(constant), free(in), free(out), free(kernel);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  complex_waves();
  real_waves();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
