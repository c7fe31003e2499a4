// SPDX-License-Identifier: BSD-3-Clause
/// \file  The record of this process: a shared mapping of a file with its tables.
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

/// Returns null before MPI_Init, after MPI_Finalize, and if recording is off.
Record* record() noexcept;
void begin_record();   ///< called in MPI_Init; reads SEICHE_PROFILE_DIRECTORY and SEICHE_PROFILE_EVENTS
void finish_record();  ///< called in MPI_Finalize

/// For MPI_Pcontrol. While calls are not recorded, all functions below have no effect, except site_of, gift_of and
/// clock_offset.
void switch_recording(bool on);
bool is_recording() noexcept;

/// Returns the number of a call site.
std::uint32_t site_of(Function function, const void* address);
/// Adds a call to its site, to the table of sizes and to the bins of time.
void add_call(std::uint32_t site, std::int64_t start, std::int64_t end, std::int64_t bytes);
/// Adds a call whose time is not measured.
void add_query(std::uint32_t site);
/// Adds an event that started while calls were recorded.
void add_event(const Event& event);
/// Returns the index of the bytes that a rank sends to each rank of a group at one call site; negative if the tables
/// are full.
std::int32_t gift_of(std::uint32_t site, std::uint64_t group, int rank, const std::vector<std::int64_t>& bytes);
void add_result(std::uint32_t site, std::uint64_t result);
/// Returns the offset of this process's clock from the clock of rank 0, or from the time of day if processes have no
/// recorder. Collective over all processes with a recorder.
std::int64_t clock_offset();

}  // namespace seiche::profile
