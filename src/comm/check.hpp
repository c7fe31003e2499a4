// SPDX-License-Identifier: BSD-3-Clause
/// \file  Turns MPI's return codes into Errors, and 64-bit counts into MPI's.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace seiche {

/// \throws Error(mpi) with MPI's own text unless `code` is success. `call` is the function's name.
void check(int code, const char* call);

/// The largest count handed to one MPI call: 2^31 - 1, unless a test lowers it to prove that larger ones are split.
std::int64_t count_limit() noexcept;
void set_count_limit(std::int64_t limit) noexcept;

/// `n` as MPI's int. \throws Error(internal) above count_limit(): the caller has to split first
int mpi_count(std::int64_t n);

/// Where each of consecutive messages of these counts begins. \throws Error(internal) where all are more than
/// count_limit() together: places are MPI's ints as well
std::vector<int> mpi_starts(const std::vector<int>& counts);

}  // namespace seiche
