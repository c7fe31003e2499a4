/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI 4: mpi4 large, with large counts; mpi4 sessions, without MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION >= 4
static void large(void) {
  MPI_Init(NULL, NULL);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double in[64] = {0}, out[64];
  MPI_Count counts[64];
  MPI_Aint places[64];
  for (int r = 0; r < ranks; ++r) counts[r] = r + 1, places[r] = 0;
  MPI_Count back[64];
  for (int r = 0; r < ranks; ++r) back[r] = rank + 1;
  for (int i = 0; i < 100; ++i) MPI_Allreduce_c(in, out, (MPI_Count)64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 10; ++i)
    MPI_Alltoallv_c(in, counts, places, MPI_DOUBLE, out, back, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Request requests[2];
  MPI_Irecv_c(out, (MPI_Count)10, MPI_DOUBLE, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend_c(in, (MPI_Count)10, MPI_DOUBLE, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
}

static void sessions(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  double in = 1, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
  printf("sum %g\n", out);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  const int with_sessions = argc > 1 && strcmp(argv[1], "sessions") == 0;
  with_sessions ? sessions() : large();
  return with_sessions ? 3 : 0;
}
#else
int main(void) {
  puts("this library has no MPI 4");
  return 0;
}
#endif
