/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  MPI for the sweep of the C interface, which Python loads: no name of an MPI library is known there. */
#include <mpi.h>

static MPI_Comm of_sweep = MPI_COMM_NULL;

__attribute__((visibility("default"))) void sweep_begin(int* rank, int* ranks) {
  int provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_sweep);
  MPI_Comm_rank(of_sweep, rank);
  MPI_Comm_size(of_sweep, ranks);
}

__attribute__((visibility("default"))) void sweep_end(void) {
  MPI_Comm_free(&of_sweep);
  MPI_Finalize();
}

/* Writes the handle of MPI_COMM_WORLD and returns its size. */
__attribute__((visibility("default"))) int sweep_world(void* handle) {
  *(MPI_Comm*)handle = MPI_COMM_WORLD;
  return sizeof(MPI_Comm);
}

/* Collective. Returns the smallest and the largest number of all ranks. */
__attribute__((visibility("default"))) void sweep_extremes(long mine, long extremes[2]) {
  long both[2];
  both[0] = mine;
  both[1] = -mine;
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_LONG, MPI_MIN, of_sweep);
  extremes[0] = both[0];
  extremes[1] = -both[1];
}
