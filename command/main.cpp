// SPDX-License-Identifier: BSD-3-Clause
/// \file  The program `seiche`, run directly or under mpiexec.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "signals.hpp"

namespace seiche::command {
namespace {

constexpr std::array rank_names{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};  // set by launchers

/// Returns whether this will be rank 0, from variables of launchers, before MPI is initialized.
bool launched_first() {
  for (const char* name : rank_names) {
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  }
  return true;
}

/// Returns whether a launcher started this process.
bool has_launcher() {
  return std::any_of(rank_names.begin(), rank_names.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Returns the variable of a launcher that started several processes, with their number, or nothing.
std::optional<std::pair<const char*, int>> launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const started = std::getenv(name);
    if (started != nullptr && std::atoi(started) > 1) return std::pair(name, std::atoi(started));
  }
  return std::nullopt;
}

/// Returns whether a launcher started several processes, each of which is alone for MPI: it belongs to another MPI
/// library. The first process prints this.
bool launched_by_other_mpi(const Session& session) {
  const auto processes = launched();
  if (session.size > 1 || !processes) return false;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string_view library(version.data());
  if (!launched_first()) return true;
  fmt::print(stderr,
             "seiche: the launcher started {} processes ({}), but each is alone for the MPI library of this command "
             "({}): use the mpiexec of this library, or unset {}\n",
             processes->second, processes->first, library.substr(0, library.find_first_of(",\n")), processes->first);
  return true;
}

/// Returns whether the command is `seiche profile`, which starts MPI programs and does not initialize MPI.
bool starts_programs(int argc, char** argv) {
  int at = 1;
  while (at < argc && argv[at][0] == '-') ++at;
  return at < argc && std::string(argv[at]) == "profile";
}

Course course;

}  // namespace
}  // namespace seiche::command

int main(int argc, char** argv) {
  using namespace seiche::command;
  course.speaks = launched_first();
  Session session;
  if (!has_launcher()) {  // other processes may run another command, and wait in MPI_Init
    if (const auto status = usage_status(argc, argv, session)) return *status;
  }
  session = {};
  if (starts_programs(argc, argv)) {
    session.alone = true;
    if (!launched()) return run_command(argc, argv, session);
    if (course.speaks)
      fmt::print(stderr, "seiche: profile starts the program itself: run seiche profile -- mpiexec -n 4 PROGRAM\n");
    return session.error_status;
  }
  clear_away_on_signals(course);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  course.speaks = session.speaks();
  const int code = launched_by_other_mpi(session) ? 1 : run_command(argc, argv, session);
  course.code = code;
  MPI_Finalize();
  return code;
}
