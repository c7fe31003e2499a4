// SPDX-License-Identifier: BSD-3-Clause
/// \file  The command `seiche`: runs as it is, or under mpiexec. Exit 0 = done, 1 = the input or the request is wrong,
/// 2 = a defect of the program. What is wrong is said in one line, once.
#include <fmt/format.h>

#include <cstdio>

#include "seiche/error.hpp"
#include "session.hpp"

namespace seiche::tools {
namespace {

int complain(const Session& session, const std::string& sentence, int code) {
  if (session.speaks()) fmt::print(stderr, "seiche: {}\n", sentence);
  return code;
}

/// CLI11's own text for --help and the like; for mistakes one line of it.
int usage(const CLI::App& app, const CLI::ParseError& error, const Session& session) {
  if (error.get_exit_code() != 0) {
    return complain(session, std::string(error.what()) + "; see seiche --help", 1);
  }
  if (session.speaks()) app.exit(error);
  return 0;
}

int run(int argc, char** argv, Session& session) {
  CLI::App app("Distributed FFTs of plane waves, wavefunction files and densities.", "seiche");
  app.set_version_flag("--version", "seiche " SEICHE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // --json may stand anywhere
  app.add_flag("--json", session.json, "print one JSON object on one line instead of a table");
  add_info(app, session);
  add_density(app, session);
  add_convert(app, session);
  add_expand(app, session);
  add_reassign(app, session);
  add_purify(app, session);
  add_bench(app, session);
  add_trace(app, session);
  add_tune(app, session);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage(app, error, session);
  }
}

int guarded(int argc, char** argv, Session& session) {
  try {
    return run(argc, argv, session);
  } catch (const Error& error) {
    const bool ours = error.fault() == Fault::internal || error.fault() == Fault::mpi;
    return complain(session, error.what(), ours ? 2 : 1);
  } catch (const std::exception& error) {
    // What is thrown past the library may be thrown by one rank alone, while others wait for it.
    fmt::print(stderr, "seiche: {}\n", error.what());
    MPI_Abort(session.comm, 2);
    return 2;
  }
}

}  // namespace
}  // namespace seiche::tools

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  seiche::tools::Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  const int code = seiche::tools::guarded(argc, argv, session);
  MPI_Finalize();
  return code;
}
