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
#include "usage_error.hpp"

namespace seiche::command {
namespace {

int complain(const Session& session, const std::string& sentence, int code) {
  if (session.speaks()) fmt::print(stderr, "seiche: {}\n", sentence);
  return code;
}

void add_all(CLI::App& app, Session& session) {
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
}

constexpr const char* about = "Distributed FFTs of plane waves, wavefunction files and densities.";

/// Prints the text of CLI11 for --help, and one line for errors.
int usage(const CLI::App& app, const CLI::ParseError& error, const Session& session) {
  if (error.get_exit_code() == 0) {
    if (session.speaks()) app.exit(error);
    return 0;
  }
  return complain(session, usage_error(app, error), session.error_status);
}

/// Thrown in place of the call of a command.
struct Parsed {};

/// Checks a command line. Calls its command if it `runs`.
class Parser : public CLI::App {
 public:
  Parser(Session& session, bool runs) : App(about, "seiche"), runs_(runs) { add_all(*this, session); }

 private:
  void pre_callback() override {
    if (!runs_) throw Parsed();
  }

  bool runs_;
};

/// \return the exit status; nothing for a command that was not called
std::optional<int> parse(int argc, char** argv, Session& session, bool runs) {
  Parser app(session, runs);
  try {
    app.parse(argc, argv);
    return session.status;
  } catch (const Parsed&) {
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return usage(app, error, session);
  }
}

}  // namespace

std::optional<int> usage_status(int argc, char** argv, Session& session) { return parse(argc, argv, session, false); }

int run_command(int argc, char** argv, Session& session) {
  try {
    if (!session.alone) expect_same_arguments(session, argc, argv);
    return *parse(argc, argv, session, true);
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
