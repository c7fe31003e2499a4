/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Whether what is created and destroyed again and again leaves the process as large as it was. */
#ifndef SEICHE_TESTS_LEAKS_H
#define SEICHE_TESTS_LEAKS_H

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

/* Collective. once(0), once(1), ...: the last nine tenths leave no handle, and less than 20 bytes each besides the half
 * megabyte by which MPI's own pools may grow. */
static inline void expect_no_leak_at(int line, void (*once)(int), int times, const char* what) {
  const int64_t handles = seiche_open_handles();
  long before = 0;
  for (int i = 0; i < times; ++i) {
    if (i == times / 10) before = resident();
    once(i);
  }
  const long grown = resident() - before;
  if (grown > 0) fprintf(stderr, "%s: %ld bytes more after %d times\n", what, grown, times);
  expect_at(line, sanitized || (before > 0 && grown < 500000 + 20L * times), what);
  expect_at(line, seiche_open_handles() == handles, "all handles are destroyed");
}

#define EXPECT_NO_LEAK(once, times) expect_no_leak_at(__LINE__, (once), (times), #once)

#endif
