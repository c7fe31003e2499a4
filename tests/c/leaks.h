/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Whether what is created and destroyed again and again leaves the process as large as it was. */
#ifndef SEICHE_TESTS_LEAKS_H
#define SEICHE_TESTS_LEAKS_H

#include <limits.h>
#include <unistd.h>

#include "expect.h"

#ifdef SEICHE_SANITIZED /* sanitizers keep what was freed for a while, and tell of leaks themselves */
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

/* Bytes of this process that are in memory. */
static inline long resident(void) {
  long pages = 0, all = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file != NULL) fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

/* Collective. once(0), once(1), ...: no handle is left, and in one of three thirds of the last nine tenths less than 20
 * bytes each besides a tenth of a megabyte. What leaks grows in each of them; pools of MPI, and of malloc for the
 * threads that read, grow when they like. */
static inline void expect_no_leak_at(int line, void (*once)(int), int times, const char* what) {
  const int64_t handles = seiche_open_handles();
  const int first = times / 10, third = (times - first) / 3;
  for (int i = 0; i < first; ++i) once(i);
  long least = LONG_MAX;
  for (int part = 0; part < 3; ++part) {
    const long before = resident();
    for (int i = 0; i < third; ++i) once(first + part * third + i);
    const long grown = before > 0 ? resident() - before : LONG_MAX;
    if (grown < least) least = grown;
  }
  if (least > 0) fprintf(stderr, "%s: at least %ld bytes more after each %d times\n", what, least, third);
  expect_at(line, sanitized || least < 100000 + 20L * third, what);
  expect_at(line, seiche_open_handles() == handles, "all handles are destroyed");
}

#define EXPECT_NO_LEAK(once, times) expect_no_leak_at(__LINE__, (once), (times), #once)

#endif
