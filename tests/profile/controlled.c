// SPDX-License-Identifier: BSD-3-Clause
// Switches recording off and on. Prints the seconds between, on average, and those for which rank 1 waits for rank 0
// afterwards.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void sum(int times) {
  double one = 1, all = 0;
  for (int i = 0; i < times; ++i) MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void receive(void) {
  double value;
  MPI_Recv(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(void) {
  const double value = 1;
  MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, ranks, out = 1, in;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sum(3);
  const double start = MPI_Wtime();
  MPI_Pcontrol(0);
  MPI_Pcontrol(0);
  MPI_Pcontrol(7);  // no effect
  MPI_Pcontrol(-1);
  sum(5);
  MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]);
  if (rank == 0 && ranks > 1) send();
  usleep(300000);
  MPI_Wtime();
  MPI_Pcontrol(1);
  double off = MPI_Wtime() - start, all_off = 0;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 1) receive();  // what was sent between
  sum(1);
  if (rank == 0) usleep(200000);
  if (rank == 0 && ranks > 1) send();
  double late = MPI_Wtime();
  if (rank == 1) receive();
  late = MPI_Wtime() - late;
  MPI_Pcontrol(2);
  sum(1);
  MPI_Pcontrol(1);
  sum(1);
  PMPI_Allreduce(&off, &all_off, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // not recorded
  PMPI_Bcast(&late, 1, MPI_DOUBLE, ranks > 1 ? 1 : 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g %g\n", all_off / ranks, late);
  MPI_Finalize();
  return 0;
}
