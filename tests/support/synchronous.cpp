// SPDX-License-Identifier: BSD-3-Clause
/// \file  Preloaded into programs that must not depend on eager sends. Each send waits for its receive, also of the
/// shortest message. The MPI standard permits this.
#include <mpi.h>

extern "C" {
int PMPI_Isend(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Issend(from, n, type, rank, tag, comm, request);
}
int PMPI_Send(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  return PMPI_Ssend(from, n, type, rank, tag, comm);
}
int MPI_Isend(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Isend(from, n, type, rank, tag, comm, request);
}
int MPI_Send(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  return PMPI_Send(from, n, type, rank, tag, comm);
}
}
