// SPDX-License-Identifier: BSD-3-Clause
// The program of a published profile in small: a grid in pencils, put from rows to columns and back again and again,
// with sub-communicators that it makes at each transpose. `transposes N`; `transposes N cached` makes them once.
// Each block that a rank gives is as large as `bytes` says, and the values that arrive are checked.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bytes = 4096 };

static void transpose(MPI_Comm line) {
  int ranks, rank;
  MPI_Comm_size(line, &ranks);
  MPI_Comm_rank(line, &rank);
  char *from = malloc(bytes * ranks), *to = malloc(bytes * ranks);
  int *counts = malloc(ranks * sizeof(int)), *places = malloc(ranks * sizeof(int));
  for (int r = 0; r < ranks; ++r) {
    counts[r] = bytes, places[r] = bytes * r;
    memset(from + places[r], rank + 3 * r, bytes);
  }
  MPI_Alltoallv(from, counts, places, MPI_CHAR, to, counts, places, MPI_CHAR, line);
  for (int r = 0; r < ranks; ++r) {
    if (to[places[r]] != (char)(r + 3 * rank)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(from), free(to), free(counts), free(places);
}

static MPI_Comm line_of(MPI_Comm grid, int axis) {
  const int keep[2] = {axis == 0, axis == 1};
  MPI_Comm line;
  MPI_Cart_sub(grid, keep, &line);
  return line;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 100, cached = argc > 2 && strcmp(argv[2], "cached") == 0;
  int ranks, sides[2] = {0, 0};
  const int periodic[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, sides);
  MPI_Comm grid, kept[2];
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &grid);
  for (int axis = 0; cached && axis < 2; ++axis) kept[axis] = line_of(grid, axis);
  for (int i = 0; i < 2 * times; ++i) {
    MPI_Comm line = cached ? kept[i % 2] : line_of(grid, i % 2);
    transpose(line);
    if (!cached) MPI_Comm_free(&line);
  }
  MPI_Finalize();
  return 0;
}
