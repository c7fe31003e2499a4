// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>

#include "arguments.hpp"
#include "hints.hpp"
#include "seiche/error.hpp"

namespace seiche::command {
namespace {

int complain(const Session& session, const std::string& sentence, int code) {
  if (session.speaks()) fmt::print(stderr, "seiche: {}\n", sentence);
  return code;
}

/// The subcommand in the command line, and its full name.
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

/// Returns "unknown command 'frobnicate': use one of info, density", or "" if no word is in the position of a
/// subcommand.
std::string unknown_command(const Reached& at, const std::vector<std::string>& words) {
  const auto all = at.app->get_subcommands([](const CLI::App*) { return true; });
  if (all.empty() || words.empty() || words.front().starts_with("-")) return "";
  std::string known;
  for (const CLI::App* one : all) known += (known.empty() ? "" : ", ") + one->get_name();
  return fmt::format("unknown command '{} {}': use one of {}", at.name, words.front(), known);
}

/// Prints the text of CLI11 for --help, and one line for errors.
int usage(const CLI::App& app, const CLI::ParseError& error, const Session& session) {
  if (error.get_exit_code() == 0) {
    if (session.speaks()) app.exit(error);
    return 0;
  }
  const Reached at = reached(app);
  std::string sentence = unknown_command(at, app.remaining(true));
  if (sentence.empty()) sentence = error.what();
  return complain(session, sentence + "; see " + at.name + " --help", session.error_status);
}

int run(int argc, char** argv, Session& session) {
  CLI::App app("Distributed FFTs of plane waves, wavefunction files and densities.", "seiche");
  app.set_version_flag("--version", "seiche " SEICHE_VERSION);
  app.require_subcommand(1);
  app.fallthrough();  // --json is accepted at any position
  app.add_flag("--json", session.json, "output as one JSON object on one line instead of a table");
  add_info(app, session);
  add_density(app, session);
  add_orbital(app, session);
  add_wannier(app, session);
  add_unfold(app, session);
  add_average(app, session);
  add_cut(app, session);
  add_difference(app, session);
  add_convert(app, session);
  add_expand(app, session);
  add_reassign(app, session);
  add_purify(app, session);
  add_bench(app, session);
  add_trace(app, session);
  add_profile(app, session);
  add_tune(app, session);
  add_predict(app, session);
  try {
    app.parse(argc, argv);
    return session.status;
  } catch (const CLI::ParseError& error) {
    return usage(app, error, session);
  }
}

}  // namespace

int run_command(int argc, char** argv, Session& session) {
  try {
    if (!session.alone) expect_same_arguments(session, argc, argv);
    return run(argc, argv, session);
  } catch (const Error& error) {
    const bool ours = error.fault() == Fault::internal || error.fault() == Fault::mpi;
    return complain(session, with_option(error.what()), ours ? 2 : session.error_status);
  } catch (const std::bad_alloc&) {
    // One rank alone or all ranks may be out of memory. The first one terminates the others before they repeat the
    // message.
    constexpr int turn = 20000;  // microseconds
    usleep(static_cast<useconds_t>(turn * std::min(session.rank, 40)));
    fmt::print(stderr, "seiche: not enough memory: use more processes or a smaller case\n");
    if (!session.alone) MPI_Abort(session.comm, session.error_status);
    return session.error_status;
  } catch (const std::exception& error) {
    // One rank alone may throw an exception that is not an Error, while the others wait for it.
    fmt::print(stderr, "seiche: {}\n", error.what());
    if (!session.alone) MPI_Abort(session.comm, 2);
    return 2;
  }
}

}  // namespace seiche::command
