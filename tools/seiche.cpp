// SPDX-License-Identifier: BSD-3-Clause
/// \file  The command `seiche`: runs as it is, or under mpiexec. Exit 0 = done, 1 = the input or the request is wrong,
/// 2 = a defect of the program. What is wrong is said in one line, once.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "arguments.hpp"
#include "seiche/error.hpp"
#include "session.hpp"
#include "signals.hpp"

namespace seiche::tools {
namespace {

int complain(const Session& session, const std::string& sentence, int code) {
  if (session.speaks()) fmt::print(stderr, "seiche: {}\n", sentence);
  return code;
}

/// The subcommand that was reached, and how to call it.
struct Reached {
  const CLI::App* app;
  std::string name = "seiche";
};

Reached reached(const CLI::App& app) {
  Reached at{&app};
  for (auto below = app.get_subcommands(); !below.empty(); below = at.app->get_subcommands()) {
    at.app = below.back();
    at.name += " " + at.app->get_name();
  }
  return at;
}

/// "there is no command 'frobnicate'; choose one of info, density", or "" where no word stands for a subcommand.
std::string unknown_command(const Reached& at, const std::vector<std::string>& words) {
  const auto all = at.app->get_subcommands([](const CLI::App*) { return true; });
  if (all.empty() || words.empty() || words.front().starts_with("-")) return "";
  std::string known;
  for (const CLI::App* one : all) known += (known.empty() ? "" : ", ") + one->get_name();
  return fmt::format("there is no command '{} {}'; choose one of {}", at.name, words.front(), known);
}

/// CLI11's own text for --help and the like; for mistakes one line of it.
int usage(const CLI::App& app, const CLI::ParseError& error, const Session& session) {
  if (error.get_exit_code() == 0) {
    if (session.speaks()) app.exit(error);
    return 0;
  }
  const Reached at = reached(app);
  std::string sentence = unknown_command(at, app.remaining(true));
  if (sentence.empty()) sentence = error.what();
  return complain(session, sentence + "; see " + at.name + " --help", 1);
}

int run(int argc, char** argv, Session& session) {
  CLI::App app("Distributed FFTs of plane waves, wavefunction files and densities.", "seiche");
  app.set_version_flag("--version", "seiche " SEICHE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // --json may stand anywhere
  app.add_flag("--json", session.json, "print one JSON object on one line instead of a table");
  add_info(app, session);
  add_density(app, session);
  add_orbital(app, session);
  add_wannier(app, session);
  add_unfold(app, session);
  add_average(app, session);
  add_convert(app, session);
  add_expand(app, session);
  add_reassign(app, session);
  add_purify(app, session);
  add_bench(app, session);
  add_trace(app, session);
  add_profile(app, session);
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
    if (!session.alone) expect_same_arguments(session, argc, argv);
    return run(argc, argv, session);
  } catch (const Error& error) {
    const bool ours = error.fault() == Fault::internal || error.fault() == Fault::mpi;
    return complain(session, error.what(), ours ? 2 : 1);
  } catch (const std::bad_alloc&) {
    // One rank alone may be short of memory, or all: the first to come ends the others before they say it again.
    constexpr int turn = 20000;  // microseconds
    usleep(static_cast<useconds_t>(turn * std::min(session.rank, 40)));
    fmt::print(stderr, "seiche: not enough memory; use more processes or a smaller case\n");
    if (!session.alone) MPI_Abort(session.comm, 1);
    return 1;
  } catch (const std::exception& error) {
    // What is thrown past the library may be thrown by one rank alone, while others wait for it.
    fmt::print(stderr, "seiche: {}\n", error.what());
    if (!session.alone) MPI_Abort(session.comm, 2);
    return 2;
  }
}

/// Whether this will be rank 0, as far as launchers say it before MPI has begun.
bool launched_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  }
  return true;
}

/// `seiche profile` starts MPI programs, and so is none itself.
bool starts_programs(int argc, char** argv) {
  int at = 1;
  while (at < argc && argv[at][0] == '-') ++at;
  return at < argc && std::string(argv[at]) == "profile";
}

Course course;

}  // namespace
}  // namespace seiche::tools

int main(int argc, char** argv) {
  if (seiche::tools::starts_programs(argc, argv)) {
    seiche::tools::Session session;
    session.alone = true;
    const int code = seiche::tools::guarded(argc, argv, session);
    return code != 0 ? code : session.program_status;
  }
  seiche::tools::course.speaks = seiche::tools::launched_first();
  seiche::tools::clear_away_on_signals(seiche::tools::course);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  seiche::tools::Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  seiche::tools::course.speaks = session.speaks();
  const int code = seiche::tools::guarded(argc, argv, session);
  seiche::tools::course.code = code;
  MPI_Finalize();
  return code;
}
