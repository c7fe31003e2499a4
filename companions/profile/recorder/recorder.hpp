// SPDX-License-Identifier: BSD-3-Clause
/// \file  The record of this process: a shared mapping of a file, its tables, and what is noted in them.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#include "record.hpp"

namespace seiche::profile {

inline std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// Null before MPI_Init and after MPI_Finalize, and where nothing is to be recorded.
Record* record() noexcept;
void begin_record();   ///< in MPI_Init; reads SEICHE_PROFILE_DIRECTORY and SEICHE_PROFILE_EVENTS
void finish_record();  ///< in MPI_Finalize

/// The number of a call's place in the program.
std::uint32_t site_of(Function function, const void* address);
/// Adds a call to its site, to the sizes, to the bins of time.
void add_call(std::uint32_t site, std::int64_t start, std::int64_t end, std::int64_t bytes);
void add_event(const Event& event);
/// The number of what a rank gives to each rank of a group at one place; negative where the tables are full.
std::int32_t gift_of(std::uint32_t site, std::uint64_t group, int rank, const std::vector<std::int64_t>& bytes);
void add_result(std::uint32_t site, std::uint64_t result);
/// The offset of this process's clock from rank 0's. Collective over all processes.
std::int64_t clock_offset();

}  // namespace seiche::profile
