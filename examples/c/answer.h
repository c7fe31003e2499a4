/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  What the examples share: they stop with the library's sentence, and end by telling whether their answer is
 * right, with a checksum of its bits that is the same in all languages. */
#ifndef SEICHE_EXAMPLES_ANSWER_H
#define SEICHE_EXAMPLES_ANSWER_H

#include <mpi.h>
#include <seiche.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Every function of Seiche returns a status; collective ones return the same on every rank. */
static inline void check(seiche_status status) {
  if (status == SEICHE_OK) return;
  fprintf(stderr, "%s\n", seiche_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective. Returns the exit code: 0 when no rank found more than `allowed`. The checksum joins the bits of `count`
 * doubles, each turned by its place, of all ranks. */
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
