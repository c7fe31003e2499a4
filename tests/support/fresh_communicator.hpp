// SPDX-License-Identifier: BSD-3-Clause
/// \file  A communicator of a test of its own.
#pragma once

#include <mpi.h>

namespace seiche::testing {

/// A communicator of all ranks without cached plans and orders.
struct FreshCommunicator {
  FreshCommunicator() { MPI_Comm_dup(MPI_COMM_WORLD, &raw); }
  ~FreshCommunicator() { MPI_Comm_free(&raw); }
  FreshCommunicator(const FreshCommunicator&) = delete;
  FreshCommunicator& operator=(const FreshCommunicator&) = delete;
  MPI_Comm raw = MPI_COMM_NULL;
};

}  // namespace seiche::testing
