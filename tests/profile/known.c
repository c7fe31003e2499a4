// SPDX-License-Identifier: BSD-3-Clause
// Calls of known numbers: what profile_test.py expects. Any number of ranks.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

#ifdef OWN_LAYER  // as programs have that count calls themselves
int MPI_Allreduce(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return PMPI_Allreduce(from, to, n, type, op, comm);
}
#endif

static void collectives(void) {
  double one = rank, sum = 0;
  for (int i = 0; i < 7; ++i) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int *counts = malloc(ranks * sizeof(int)), *places = malloc(ranks * sizeof(int));
  for (int r = 0; r < ranks; ++r) counts[r] = 10, places[r] = 10 * r;
  double *from = calloc(10 * ranks, sizeof(double)), *to = calloc(10 * ranks, sizeof(double));
  for (int i = 0; i < 11; ++i) {
    MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d has %g\n", rank, sum);
  free(counts), free(places), free(from), free(to);
}

static void messages(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  char out[1000] = {0}, in[1000];
  MPI_Request requests[2];
  for (int i = 0; i < 5; ++i) {
    MPI_Isend(out, 1000, MPI_CHAR, next, i, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 1000, MPI_CHAR, before, i, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Sendrecv(out, 100, MPI_CHAR, next, 9, in, 100, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send_init(out, 500, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 500, MPI_CHAR, before, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 4; ++i) MPI_Startall(2, requests), MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
}

// As the program of a published profile: a communicator for each transpose.
static void remade_communicators(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm line;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank : rank % 2, rank, &line);
    MPI_Barrier(line);
    MPI_Comm_free(&line);
  }
}

static void queries(void) {
  const int wraps = 1, here[1] = {rank};
  int of = -1, size[1], periods[1], at[1], next[1];
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &wraps, 0, &line);
  for (int i = 0; i < 3; ++i) MPI_Cart_rank(line, here, &of);
  for (int i = 0; i < 2; ++i) MPI_Cart_get(line, 1, size, periods, at);
  for (int i = 0; i < 4; ++i) MPI_Cart_coords(line, (rank + 1) % ranks, 1, next);
  const double start = MPI_Wtime();
  for (int i = 0; i < 19; ++i)
    if (MPI_Wtime() < start || of != rank || size[0] != ranks || at[0] != rank || next[0] != (rank + 1) % ranks)
      exit(1);
  MPI_Comm_free(&line);
}

// Spawns two processes of this program, which end at once. MPICH over UCX cannot spawn (Debian 12).
static void spawned(char* program) {
  MPI_Comm others;
  char* words[] = {"child", NULL};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE) == MPI_SUCCESS)
    MPI_Comm_disconnect(&others);
  else if (rank == 0)
    printf("MPI cannot spawn\n");
}

static int child(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  MPI_Comm_disconnect(&parent);
  return MPI_Finalize();
}

// Until it is ended.
static void forever(void) {
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
  for (;;) usleep(100000);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 1 && strcmp(argv[1], "child") == 0) return child();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  collectives();
  messages();
  queries();
  remade_communicators(argc > 1 && strcmp(argv[1], "cached") == 0 ? 2 : 150);
  if (argc > 1 && strcmp(argv[1], "killed") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc > 1 && strcmp(argv[1], "spawn") == 0) spawned(argv[0]);
  if (argc > 1 && strcmp(argv[1], "forever") == 0) forever();
  MPI_Finalize();
  return argc > 1 && strcmp(argv[1], "three") == 0 ? 3 : 0;
}
