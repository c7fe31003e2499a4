// SPDX-License-Identifier: BSD-3-Clause
/// \file  Processes on one machine share its clock. Otherwise ping-pongs with rank 0 determine the offset: the fastest
/// of several has the smallest error, half its round trip. If processes have no recorder, the offset is that of the
/// time of day.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "recorder/company.hpp"
#include "recorder/recorder.hpp"
#include "recorder/symbols.hpp"

namespace seiche::profile {

namespace {

constexpr int tag = 31999, rounds = 12;
constexpr std::size_t name_bytes = 40;

std::string machine() {
  std::string name(name_bytes, '\0');
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    if (std::fgets(name.data(), static_cast<int>(name_bytes), file) == nullptr) name[0] = 0;
    std::fclose(file);
  }
  return name;
}

std::int64_t with_rank_0() {
  std::int64_t best = INT64_MAX, offset = 0, theirs = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t sent = now();
    REAL(Send)(&sent, 8, byte_type(), 0, tag, world());
    REAL(Recv)(&theirs, 8, byte_type(), 0, tag, world(), MPI_STATUS_IGNORE);
    const std::int64_t back = now();
    if (back - sent < best) {
      best = back - sent;
      offset = theirs - (sent + back) / 2;
    }
  }
  return offset;
}

void serve(int rank) {
  std::int64_t theirs = 0;
  for (int i = 0; i < rounds; ++i) {
    REAL(Recv)(&theirs, 8, byte_type(), rank, tag, world(), MPI_STATUS_IGNORE);
    const std::int64_t mine = now();
    REAL(Send)(&mine, 8, byte_type(), rank, tag, world());
  }
}

std::int64_t time_of_day() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// Collective over all processes.
std::int64_t offset_from_rank_0(int rank, int size) {
  const std::string mine = machine();
  std::vector<char> all(name_bytes * static_cast<std::size_t>(size));
  REAL(Allgather)(mine.data(), name_bytes, byte_type(), all.data(), name_bytes, byte_type(), world());
  const auto of = [&](int r) { return all.data() + name_bytes * static_cast<std::size_t>(r); };
  std::int64_t offset = 0;
  for (int r = 1; r < size; ++r) {
    if (std::memcmp(of(r), of(0), name_bytes) == 0) continue;
    if (rank == 0) serve(r);
    if (rank == r) offset = with_rank_0();
  }
  return offset;
}

}  // namespace

std::int64_t clock_offset() {
  int rank = 0, size = 1;
  REAL(Comm_rank)(world(), &rank);
  REAL(Comm_size)(world(), &size);
  switch (company(rank, size)) {
    case Company::one_machine:
      return 0;
    case Company::all:
      return offset_from_rank_0(rank, size);
    case Company::some:
      break;
  }
  static const std::int64_t offset = time_of_day() - now();
  return offset;
}

}  // namespace seiche::profile
