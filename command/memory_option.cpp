// SPDX-License-Identifier: BSD-3-Clause
#include "memory_option.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "numbers.hpp"
#include "seiche/error.hpp"

namespace seiche::command {
namespace {

/// Returns the resident memory of this process in bytes.
std::int64_t resident() {
  std::int64_t size = 0, pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    long long all = 0, here = 0;
    if (std::fscanf(file, "%lld %lld", &all, &here) == 2) size = all, pages = here;
    std::fclose(file);
  }
  return size > 0 ? pages * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

void add_memory_option(CLI::App& command, std::string& limit) {
  command.add_option("--memory", limit, "memory limit per process, for example 64M");
}

void add_memory_limit(CLI::App& command, std::string& limit) {
  command.add_option("--memory-limit", limit, "limit of the memory of a product per process, in MB or for example 2G");
}

std::int64_t memory_limit_of(const std::string& limit) {
  constexpr std::int64_t megabyte = 1'000'000;
  return limit.empty() ? 0 : bytes_of("--memory-limit", limit, megabyte);
}

std::int64_t memory_left(const Session& session, const std::string& limit, std::int64_t held) {
  if (limit.empty()) return 0;
  constexpr std::int64_t small_things = std::int64_t{6} << 20;
  // redistribution needs at least one band at a time, in buffers of source and target
  const std::int64_t least = (held == 0 ? std::int64_t{1} << 20 : (std::int64_t{4} << 20) + held / 8);
  std::int64_t taken = resident() + small_things + held;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT64_T, MPI_MAX, session.comm);
  const std::int64_t left = bytes_of("--memory", limit) - taken;
  if (left >= least) return left;
  // resident memory varies between runs by some pages of libraries; the suggested limit must suffice in the next run
  const auto mega = [](std::int64_t bytes) { return (bytes >> 20) + 3; };
  if (held == 0) {
    throw Error(Fault::bad_argument, fmt::format("--memory {} is too small (the program itself uses {} MB): allow more",
                                                 limit, mega(taken)));
  }
  throw Error(Fault::bad_argument, fmt::format("--memory {} is too small, because the wavefunctions are held in "
                                               "memory: allow {} MB on each of {} processes, or use more processes",
                                               limit, mega(taken + least), session.size));
}

}  // namespace seiche::command
