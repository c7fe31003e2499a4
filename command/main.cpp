// SPDX-License-Identifier: BSD-3-Clause
/// \file  The program `seiche`, run directly or under mpiexec.
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "command.hpp"
#include "signals.hpp"

namespace seiche::command {
namespace {

/// Returns whether this will be rank 0, from variables of launchers, before MPI is initialized.
bool launched_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  }
  return true;
}

/// Returns whether a launcher started several processes, each of which is alone for MPI: it belongs to another MPI
/// library. The first process prints this.
bool launched_by_other_mpi(const Session& session) {
  if (session.size > 1) return false;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const started = std::getenv(name);
    if (started == nullptr || std::atoi(started) <= 1) continue;
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);
    const std::string_view library(version.data());
    if (!launched_first()) return true;
    fmt::print(stderr,
               "seiche: the launcher started {} processes ({}), but each is alone for the MPI library of this command "
               "({}): use the mpiexec of this library, or unset {}\n",
               started, name, library.substr(0, library.find_first_of(",\n")), name);
    return true;
  }
  return false;
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
  if (seiche::command::starts_programs(argc, argv)) {
    seiche::command::Session session;
    session.alone = true;
    return seiche::command::run_command(argc, argv, session);
  }
  seiche::command::course.speaks = seiche::command::launched_first();
  seiche::command::clear_away_on_signals(seiche::command::course);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  seiche::command::Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  seiche::command::course.speaks = session.speaks();
  const bool alone = seiche::command::launched_by_other_mpi(session);
  const int code = alone ? 1 : seiche::command::run_command(argc, argv, session);
  seiche::command::course.code = code;
  MPI_Finalize();
  return code;
}
