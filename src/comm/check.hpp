// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of MPI's return codes to Errors, and of 64-bit counts to MPI's type.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace seiche {

/// Checks a return code of MPI. `call`: name of the function. \throws Error(mpi) with MPI's error text
void check(int code, const char* call);

/// Returns the largest count of one MPI call: 2^31 - 1, unless a test sets a smaller limit.
std::int64_t count_limit() noexcept;
void set_count_limit(std::int64_t limit) noexcept;

/// Converts a count to MPI's type. \throws Error(internal) above count_limit(): the caller must split messages
int mpi_count(std::int64_t n);

/// Returns the offsets of consecutive messages with these counts. \throws Error(internal) if their sum exceeds
/// count_limit()
std::vector<int> mpi_starts(const std::vector<int>& counts);

}  // namespace seiche
