// SPDX-License-Identifier: BSD-3-Clause
/// \file  The kernel under the ranks: hosts made of network namespaces share one kernel and its cores.
#pragma once

#include <mpi.h>

namespace seiche::command {

/// Returns the CPU seconds of all processors of this machine since its start, kernel time included.
double busy_seconds();

/// The ranks that run on the same kernel as this rank.
struct SameKernel {
  int ranks = 1, me = 0;  ///< number of ranks, and number of ranks before this one
};
/// Collective.
SameKernel same_kernel(MPI_Comm comm);

}  // namespace seiche::command
