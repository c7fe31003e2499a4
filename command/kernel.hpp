// SPDX-License-Identifier: BSD-3-Clause
/// \file  The machine under the ranks: hosts made of network namespaces share its kernel and its cores.
#pragma once

#include <mpi.h>

namespace seiche::command {

/// CPU seconds that this machine's processors have worked since it started, for whomever; kernel included.
double busy_seconds();

/// The ranks that run under this rank's kernel.
struct SameKernel {
  int ranks = 1, me = 0;  ///< how many, and how many of them come before this rank
};
/// Collective.
SameKernel same_kernel(MPI_Comm comm);

}  // namespace seiche::command
