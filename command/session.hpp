// SPDX-License-Identifier: BSD-3-Clause
/// \file  The state shared by all commands: the processes, and the form of the output.
#pragma once

#include <mpi.h>

namespace CLI {
class App;
}

namespace seiche::command {

/// The help text of an argument that is a file of wavefunctions.
inline constexpr const char* any_wavefunctions =
    "wavefunctions: a .save of Quantum ESPRESSO, a WAVECAR, a CASTEP .check, an ABINIT WFK, a BerkeleyGW WFN.h5 or WFN";

struct Session {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, size = 1;
  bool alone = false;  ///< MPI is not initialized: the command starts programs that use MPI
  int status = 0;      ///< exit status without an error: of the program that was started, or the result of a comparison
  int error_status = 1;  ///< exit status for invalid input or requests
  bool json = false;     ///< one JSON object on one line of stdout instead of a table
  bool speaks() const { return rank == 0; }
};

// One function per family of commands adds its subcommands. Their callbacks run the command and throw seiche::Error.
void add_info(CLI::App& app, Session& session);
void add_average(CLI::App& app, Session& session);
void add_cut(CLI::App& app, Session& session);
void add_difference(CLI::App& app, Session& session);
void add_orbital(CLI::App& app, Session& session);
void add_wannier(CLI::App& app, Session& session);
void add_unfold(CLI::App& app, Session& session);
void add_density(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_expand(CLI::App& app, Session& session);
void add_reassign(CLI::App& app, Session& session);
void add_purify(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_trace(CLI::App& app, Session& session);
void add_profile(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);

}  // namespace seiche::command
