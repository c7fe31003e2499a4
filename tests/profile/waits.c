// SPDX-License-Identifier: BSD-3-Clause
// Waiting of known causes, and overlap: it times them itself, and rank 0
// prints the seconds that are to be found. `waits late`: rank 2 comes 5 ms late to 40 barriers. `waits unpolled`: rank
// 0 starts to send what is too large to go at once and computes 10 ms before it waits for it, while rank 1 waits.
// `waits link`: both, and 10 blocks of 16 MB from rank 0 to rank 2, on another host, for which both ends are there.
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pass(double seconds) {
  const struct timespec time = {0, (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

/// The machine's clock: MPI_Wtime begins on each rank at another moment.
static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { times = 40, bytes = 4000000, blocks = 10, block_bytes = 16000000 };

/// Rank 2 is late: what the others wait in all.
static double __attribute__((noinline)) late_barriers(int rank, int ranks) {
  double entered[times], sum = 0, *all = malloc(sizeof entered * ranks);
  for (int i = 0; i < times; ++i) {
    if (rank == 2) pass(0.005);
    entered[i] = seconds_now();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Gather(entered, times, MPI_DOUBLE, all, times, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < times; ++i) {
    double last = 0;
    for (int r = 0; r < ranks; ++r) last = all[r * times + i] > last ? all[r * times + i] : last;
    for (int r = 0; r < ranks; ++r) sum += last - all[r * times + i];
  }
  free(all);
  return sum;
}

/// Rank 0 is outside of MPI while rank `to` waits for its message.
static double __attribute__((noinline)) unpolled_messages(int rank, int to) {
  double mine[2 * times], theirs[2 * times], sum = 0;
  char* block = calloc(bytes, 1);
  for (int i = 0; i < times; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    mine[2 * i] = seconds_now();
    if (rank == 0) {
      MPI_Request request;
      MPI_Isend(block, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &request);
      pass(0.010);
      mine[2 * i + 1] = seconds_now();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == to) {
      MPI_Recv(block, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mine[2 * i + 1] = seconds_now();
    }
  }
  free(block);
  if (rank == to) MPI_Send(mine, 2 * times, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  MPI_Recv(theirs, 2 * times, MPI_DOUBLE, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2 * times; i += 2) {
    const double from = mine[i] > theirs[i] ? mine[i] : theirs[i];
    const double until = mine[i + 1] < theirs[i + 1] ? mine[i + 1] : theirs[i + 1];
    sum += until > from ? until - from : 0;
  }
  return sum;
}

/// What rank 2 noted, on rank 0.
static void fetch(int rank, double* mine, double* theirs, int n) {
  if (rank == 2) MPI_Send(mine, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(theirs, n, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Blocks over the link, both ends there: how long the receiver waits for them from the later entry on.
static double __attribute__((noinline)) over_the_link(int rank) {
  double mine[2 * blocks], theirs[2 * blocks], sum = 0;
  char* block = calloc(block_bytes, 1);
  for (int i = 0; i < blocks; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    mine[2 * i] = seconds_now();
    if (rank == 0) MPI_Send(block, block_bytes, MPI_CHAR, 2, 2, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(block, block_bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine[2 * i + 1] = seconds_now();
  }
  free(block);
  fetch(rank, mine, theirs, 2 * blocks);
  for (int i = 0; rank == 0 && i < 2 * blocks; i += 2)
    sum += theirs[i + 1] - (theirs[i] > mine[i] ? theirs[i] : mine[i]);
  return sum;
}

/// All ranks send around and compute meanwhile, two messages at once, and again while a third is awaited: what of a
/// rank's time something was under way, and how much of that it computed.
static void overlapped(int rank, int ranks, double* under_way, double* computed) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  char *from = calloc(bytes, 1), *to = calloc(bytes, 1), late = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Request requests[2], third;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = seconds_now();
    MPI_Irecv(to, bytes, MPI_CHAR, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from, bytes, MPI_CHAR, next, 0, MPI_COMM_WORLD, &requests[1]);
    double from_here = seconds_now();
    pass(0.005);
    *computed += seconds_now() - from_here;
    MPI_Irecv(&late, 1, MPI_CHAR, before, 1, MPI_COMM_WORLD, &third);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    from_here = seconds_now();
    pass(0.003);
    *computed += seconds_now() - from_here;
    MPI_Send(&late, 1, MPI_CHAR, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&third, MPI_STATUS_IGNORE);
    *under_way += seconds_now() - began;
    pass(0.002);
  }
  free(from), free(to);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "overlapped") == 0) {
    double mine[2] = {0, 0}, all[2] = {0, 0};
    overlapped(rank, ranks, &mine[0], &mine[1]);
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.6f %.6f\n", all[0], all[1]);
    MPI_Finalize();
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "link") == 0) {
    const double late = late_barriers(rank, ranks), wire = over_the_link(rank), missing = unpolled_messages(rank, 2);
    if (rank == 0)
      printf("%.6f %.6f %.6f %.0f %.0f\n", late, wire, missing, (double)blocks * block_bytes, (double)times * bytes);
    MPI_Finalize();
    return 0;
  }
  const double found =
      argc > 1 && strcmp(argv[1], "late") == 0 ? late_barriers(rank, ranks) : unpolled_messages(rank, 1);
  if (rank == 0) printf("%.6f\n", found);
  MPI_Finalize();
  return 0;
}
