// SPDX-License-Identifier: BSD-3-Clause
/// \file  What every command of `seiche` shares: the processes it runs on, and how it should speak.
#pragma once

#include <mpi.h>

namespace CLI {
class App;
}

namespace seiche::command {

/// What commands say of an argument that is any file of wavefunctions.
inline constexpr const char* any_wavefunctions =
    "wavefunctions: a .save of Quantum ESPRESSO, a WAVECAR, a CASTEP .check, an ABINIT WFK, a BerkeleyGW WFN.h5 or WFN";

struct Session {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, size = 1;
  bool alone = false;      ///< MPI is not initialised: the command starts programs that use it
  int program_status = 0;  ///< of the program that was started
  bool json = false;       ///< one JSON object on one line of stdout instead of a table
  bool speaks() const { return rank == 0; }
};

// One function per command family adds its subcommands; their callbacks do the work and throw seiche::Error.
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
