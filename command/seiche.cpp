// SPDX-License-Identifier: BSD-3-Clause
/// \file  The program `seiche`, run directly or under mpiexec.
#include <cstdlib>
#include <string>

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
    const int code = seiche::command::run_command(argc, argv, session);
    return code != 0 ? code : session.program_status;
  }
  seiche::command::course.speaks = seiche::command::launched_first();
  seiche::command::clear_away_on_signals(seiche::command::course);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  seiche::command::Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  seiche::command::course.speaks = session.speaks();
  const int code = seiche::command::run_command(argc, argv, session);
  seiche::command::course.code = code;
  MPI_Finalize();
  return code;
}
