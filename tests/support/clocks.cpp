// SPDX-License-Identifier: BSD-3-Clause
/// \file  Preloaded into programs that must not compare the clocks of ranks. MPI_Wtime of each rank is one hour ahead
/// of the previous rank. The MPI standard does not promise equal clocks.
#include <mpi.h>

extern "C" double MPI_Wtime() {
  constexpr double hour = 3600;
  int started = 0, ended = 0, rank = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started && !ended) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Wtime() + hour * rank;
}
