/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  A folder for what a test writes, the same on all ranks. */
#ifndef SEICHE_TESTS_SCRATCH_H
#define SEICHE_TESTS_SCRATCH_H

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

static char folder[64];

/* The path of a file in it, good until the next call. */
static inline const char* place(const char* name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* Collective. */
static inline void make_folder(int rank) {
  strcpy(folder, "/tmp/seiche-c-XXXXXX");
  if (rank == 0 && mkdtemp(folder) == NULL) folder[0] = 0;
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Collective. Removes it, and the files that are all that it holds. */
static inline void remove_folder(int rank, const char* const* names, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) return;
  for (int i = 0; i < count; ++i) remove(place(names[i]));
  EXPECT(rmdir(folder) == 0);
}

#endif
