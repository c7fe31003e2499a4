/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  A finite-difference Laplacian with planes of the neighbouring ranks. The planes travel while the inner planes
 * are computed. */
#include <math.h>
#include <stdlib.h>

#include "answer.h"

enum { nx = 12, ny = 10, nz = 16, plane = nx * ny };

/* Returns the value of a function with the period of the grid. */
static double value_at(int64_t x, int64_t y, int64_t z) {
  return (double)((5 * (x % nx) + 7 * (y % ny) + 11 * (z % nz)) % 23);
}

/* `below` and `above`: the neighbouring planes. */
static void laplacian_of(const double* here, const double* below, const double* above, double* laplacian) {
  for (int y = 0; y < ny; ++y) {
    for (int x = 0; x < nx; ++x) {
      const int i = x + nx * y;
      laplacian[i] = here[(x + 1) % nx + nx * y] + here[(x + nx - 1) % nx + nx * y] + here[x + nx * ((y + 1) % ny)] +
                     here[x + nx * ((y + ny - 1) % ny)] + below[i] + above[i] - 6 * here[i];
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, done;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* [halo] */
  const int64_t shape[3] = {nx, ny, nz};
  const int64_t first = nz * rank / ranks, last = nz * (rank + 1) / ranks, planes = last - first;
  const seiche_box mine = {{0, 0, first}, {nx, ny, last}};          /* planes of this rank */
  const seiche_box wider = {{0, 0, first - 1}, {nx, ny, last + 1}}; /* with a plane of each neighbour */
  const seiche_box_array source = seiche_contiguous_box(&mine, 0), target = seiche_contiguous_box(&wider, 0);
  seiche_box_exchange* exchange;
  check(seiche_box_exchange_create(&exchange, MPI_COMM_WORLD, shape, &source, 1, &target, 1, NULL));
  /* [/halo] */
  const int64_t points = planes * plane, wider_points = points + 2 * plane;
  double* values = malloc((size_t)points * sizeof *values);
  double* with_halo = malloc((size_t)wider_points * sizeof *with_halo);
  double* laplacian = malloc((size_t)points * sizeof *laplacian);
  for (int64_t i = 0; i < points; ++i) values[i] = value_at(i % nx, i / nx % ny, first + i / plane);

  /* [overlap] */
  seiche_pending* pending;
  check(seiche_box_exchange_start_copy(&pending, exchange, SEICHE_DOUBLE, values, points, with_halo, wider_points, 1));
  for (int64_t z = 1; z < planes - 1; ++z) { /* inner planes need no other rank */
    const double* here = values + z * plane;
    laplacian_of(here, here - plane, here + plane, laplacian + z * plane);
    check(seiche_pending_progress(pending, &done));
  }
  check(seiche_pending_finish(pending));
  check(seiche_pending_destroy(&pending));
  for (int64_t z = 0; z<planes; z += planes> 1 ? planes - 1 : 1) { /* first and last plane */
    laplacian_of(values + z * plane, with_halo + z * plane, with_halo + (z + 2) * plane, laplacian + z * plane);
  }
  /* [/overlap] */

  double error = 0;
  for (int64_t i = 0; i < points; ++i) {
    const int64_t x = i % nx, y = i / nx % ny, z = first + i / plane;
    const double expected = value_at(x + 1, y, z) + value_at(x + nx - 1, y, z) + value_at(x, y + 1, z) +
                            value_at(x, y + ny - 1, z) + value_at(x, y, z + 1) + value_at(x, y, z + nz - 1) -
                            6 * value_at(x, y, z);
    error = fmax(error, fabs(laplacian[i] - expected));
  }
  check(seiche_box_exchange_destroy(&exchange));
  const int code = answer("halo", error, 0, laplacian, points);
  free(laplacian);
  free(with_halo);
  free(values);
  MPI_Finalize();
  return code;
}
