// SPDX-License-Identifier: BSD-3-Clause
// What the recorder costs: calls that need no partner, timed by the program. rate N collective|messages [WORK]
// does so much of the same work before each call, and so sets how often calls come.
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// Of this process's cores, the kernel's work for it included: what others do beside counts less.
static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static volatile double begin = 1;  // so that compilers do not work only once

static double worked(int amount) {
  double x = begin;
  for (int i = 0; i < amount; ++i) x = x * 0.999999 + 1e-6;
  return x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 2 ? atoi(argv[1]) : 1000, messages = argc > 2 && strcmp(argv[2], "messages") == 0;
  const int work = argc > 3 ? atoi(argv[3]) : 0;
  double out = 1, in = 0;
  const double start = MPI_Wtime(), cpu_start = cpu_seconds();
  for (int i = 0; i < times; ++i) {
    MPI_Request requests[2];
    out = worked(work);
    if (messages) {
      MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
  }
  const double seconds = MPI_Wtime() - start;
  const double cpu = cpu_seconds() - cpu_start;
  printf("%.6f s, %.6f of a core, %.0f calls a second of it\n", seconds, cpu, times * (messages ? 3 : 1) / cpu);
  MPI_Finalize();
  return 0;
}
