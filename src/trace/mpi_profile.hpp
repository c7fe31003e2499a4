// SPDX-License-Identifier: BSD-3-Clause
/// \file  Counts this process's MPI calls by name, through MPI's own profiling interface. For programs (the command,
/// tests) that link the target seiche_mpi_profile; the library itself is never counted behind its user's back.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace seiche::mpi_profile {

/// Sets all counts to zero and counts from here on.
void start_counting();

/// Calls since start_counting(), e.g. {"MPI_Alltoallv", 12}; names that were never called are left out. Queries such as
/// MPI_Comm_rank, which move nothing, are not counted.
std::map<std::string, std::int64_t> counts();

/// Bytes of windows that this process has allocated since start_counting(), freed ones included.
std::int64_t window_bytes();

/// For tests of faults: the next call of that function on this process does its work and then reports an error.
void fail_next(const std::string& function);
/// The largest number of non-blocking point-to-point messages of this process, sends and receives, that were under way
/// at once since start_counting(): posted, and not yet completed by a wait or a test. watch_messages() first, which
/// makes each message dearer from then on.
void watch_messages();
std::int64_t most_in_flight();
/// The largest number of threads of this process that were inside of counted MPI calls at once since start_counting().
/// watch_threads() first.
void watch_threads();
std::int64_t most_threads();

}  // namespace seiche::mpi_profile
