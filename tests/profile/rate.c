// SPDX-License-Identifier: BSD-3-Clause
// What the recorder costs: calls that need no partner, timed by the program. rate N collective|messages
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 2 ? atoi(argv[1]) : 1000, messages = argc > 2 && strcmp(argv[2], "messages") == 0;
  double out = 1, in = 0;
  const double start = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    MPI_Request requests[2];
    if (messages) {
      MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    }
  }
  printf("%.4f s\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
