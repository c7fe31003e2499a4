// SPDX-License-Identifier: BSD-3-Clause
/// \file  Counts this process's MPI calls by name, through MPI's own profiling interface. For programs (the command,
/// tests) that link the target seiche_mpi_profile; the library itself is never counted behind its user's back.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace seiche::trace {

/// Sets all counts to zero and counts from here on.
void start_counting();

/// Calls since start_counting(), e.g. {"MPI_Alltoallv", 12}; names that were never called are left out. Queries such as
/// MPI_Comm_rank, which move nothing, are not counted.
std::map<std::string, std::int64_t> counts();

}  // namespace seiche::trace
