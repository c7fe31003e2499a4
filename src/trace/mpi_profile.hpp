// SPDX-License-Identifier: BSD-3-Clause
/// \file  Counters of this process's MPI calls, through MPI's profiling interface. For programs (the command, tests)
/// that link the target seiche_mpi_profile. The library itself does not count calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace seiche::mpi_profile {

/// Sets all counts to zero and starts counting.
void start_counting();

/// Returns the number of calls since start_counting(), e.g. {"MPI_Alltoallv", 12}, without functions that were never
/// called. Queries such as MPI_Comm_rank are not counted.
std::map<std::string, std::int64_t> counts();

/// Returns the bytes of windows that this process has allocated since start_counting(), including freed ones.
std::int64_t window_bytes();

/// For tests of errors: the next call of the function on this process does its work and then returns an error.
void fail_next(const std::string& function);
/// Same for the k-th of the next calls that start messages, or allocate windows. Other collective calls, by
/// which ranks set up plans and agree on errors, do not count.
void fail_after(std::int64_t k);
/// Returns whether that call was made. Then, or otherwise, no later call fails.
bool has_failed();
/// Starts to track messages, which makes each message slower. most_in_flight() returns the largest number of
/// non-blocking point-to-point messages in flight since start_counting(). They are posted and not yet completed by a
/// wait or a test.
void watch_messages();
std::int64_t most_in_flight();
/// Starts to track threads. most_threads() returns the largest number of threads inside counted MPI calls at the same
/// time since start_counting().
void watch_threads();
std::int64_t most_threads();

}  // namespace seiche::mpi_profile
