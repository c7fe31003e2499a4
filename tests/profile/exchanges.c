// SPDX-License-Identifier: BSD-3-Clause
// All-to-alls of which is known what they move, for --advise. 10 times each: rank 0 gives 4 MB to the last rank and
// everybody else 8 bytes (padded to the largest they would move ranks * ranks times as much); rows of every second rank
// give each other 10 kB; all give each other 1000 bytes, and the last rank comes 5 ms late.
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { times = 10, large = 4000000, small = 8 };

static void __attribute__((noinline)) lopsided(int rank, int ranks) {
  int *give = malloc(ranks * sizeof(int)), *get = malloc(ranks * sizeof(int));
  int *give_at = malloc(ranks * sizeof(int)), *get_at = malloc(ranks * sizeof(int)), given = 0, got = 0;
  for (int r = 0; r < ranks; ++r) {
    give[r] = rank == 0 && r == ranks - 1 ? large : small;
    get[r] = r == 0 && rank == ranks - 1 ? large : small;
    give_at[r] = given, get_at[r] = got;
    given += give[r], got += get[r];
  }
  char *from = calloc(given, 1), *to = calloc(got, 1);
  for (int i = 0; i < times; ++i)
    MPI_Alltoallv(from, give, give_at, MPI_CHAR, to, get, get_at, MPI_CHAR, MPI_COMM_WORLD);
  free(give), free(get), free(give_at), free(get_at), free(from), free(to);
}

static void __attribute__((noinline)) in_rows(int rank, int ranks) {
  MPI_Comm row;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row);
  char *from = calloc(ranks, 10000), *to = calloc(ranks, 10000);
  for (int i = 0; i < times; ++i) MPI_Alltoall(from, 10000, MPI_CHAR, to, 10000, MPI_CHAR, row);
  free(from), free(to);
  MPI_Comm_free(&row);
}

static void __attribute__((noinline)) late(int rank, int ranks) {
  const struct timespec time = {0, 5000000};
  double *from = calloc(ranks, 1000), *to = calloc(ranks, 1000);
  for (int i = 0; i < times; ++i) {
    if (rank == ranks - 1) nanosleep(&time, NULL);
    MPI_Alltoall(from, 125, MPI_DOUBLE, to, 125, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  free(from), free(to);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  lopsided(rank, ranks);
  in_rows(rank, ranks);
  late(rank, ranks);
  MPI_Finalize();
  return 0;
}
