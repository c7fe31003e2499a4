// SPDX-License-Identifier: BSD-3-Clause
/// \file  Runs a command so that the processes of its MPI program write records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seiche::profile {

struct Launch {
  std::vector<std::string> command;
  std::string mpi;               ///< library that the program is linked to: openmpi, mpich, or ""
  std::string directory;         ///< folder of the records
  std::int64_t events = 131072;  ///< per rank
};

/// Returns the exit status of the command, or 128 + the signal that ended it. \throws Error if it cannot be started, or
/// if the recorder for its MPI library is not installed
int run_recorded(const Launch& launch);
/// Starts the replay in place of the program with the same launcher: exchanges from the file `plan`, times to `result`.
/// \return its exit status
int run_replay(const Launch& launch, const std::string& plan, const std::string& result);
/// \throws Error if the program uses another MPI library than this build, before anything runs
void expect_replay(const Launch& launch);

}  // namespace seiche::profile
