/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Expectations of tests in C: every rank counts what it compared and what failed, and all end alike. */
#ifndef SEICHE_TESTS_EXPECT_H
#define SEICHE_TESTS_EXPECT_H

#include <mpi.h>
#include <seiche.h>
#include <stdio.h>
#include <string.h>

static long compared = 0, failed = 0;

static inline void expect_at(int line, int holds, const char* what) {
  ++compared;
  if (holds) return;
  ++failed;
  fprintf(stderr, "line %d: %s; the last sentence is: %s\n", line, what, seiche_last_error());
}

/* The call fails with this status and a sentence that contains `text`. */
static inline void expect_fault_at(int line, seiche_status got, seiche_status status, const char* text) {
  expect_at(line, got == status && strstr(seiche_last_error(), text) != NULL, text);
}

#define EXPECT(condition) expect_at(__LINE__, (condition), #condition)
#define EXPECT_OK(call) expect_at(__LINE__, (call) == SEICHE_OK, #call)
#define EXPECT_FAULT(call, status, text) expect_fault_at(__LINE__, (call), (status), (text))

/* Collective. The exit code of main(): 0 when every rank compared something and nothing failed. */
static inline int verdict(void) {
  long mine[2] = {failed, compared == 0}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return all[0] == 0 && all[1] == 0 ? 0 : 1;
}

#endif
