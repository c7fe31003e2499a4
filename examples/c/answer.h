/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Common parts of the examples: they stop with the library's error message. At the end they print whether the
 * result is right, and a checksum of its bits, which is the same in all languages. */
#ifndef SEICHE_EXAMPLES_ANSWER_H
#define SEICHE_EXAMPLES_ANSWER_H

#include <mpi.h>
#include <seiche.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Every function of Seiche returns a status. Collective functions return the same status on all ranks. */
static inline void check(seiche_status status) {
  if (status == SEICHE_OK) return;
  fprintf(stderr, "%s\n", seiche_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective. Returns the exit code: 0 if the deviation is at most `allowed` on all ranks. The checksum combines the
 * bits of `count` doubles of each rank, rotated by their positions. */
static inline int answer(const char* name, double error, double allowed, const double* values, int64_t count) {
  uint64_t bits = 0, all_bits = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t one;
    const unsigned turn = (unsigned)(i % 63) + 1;
    memcpy(&one, &values[i], sizeof one);
    bits ^= (one << turn) | (one >> (64 - turn));
  }
  double largest = 0;
  int rank = 0;
  MPI_Reduce(&bits, &all_bits, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int right = largest <= allowed; /* false for NaN */
  if (rank == 0) {
    printf("%s: %s, error %.1e, bits %016llx\n", name, right ? "right" : "WRONG", largest,
           (unsigned long long)all_bits);
  }
  return right ? 0 : 1;
}

#endif
