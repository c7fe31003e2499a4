// SPDX-License-Identifier: BSD-3-Clause
/// \file  Running a command so that the processes of its MPI program leave records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seiche::profile {

struct Launch {
  std::vector<std::string> command;
  std::string mpi;               ///< openmpi, mpich, or "": what the program is linked to
  std::string directory;         ///< where the records go
  std::int64_t events = 131072;  ///< for each rank
};

/// The command's exit status, 128 + the signal where one ended it.
/// \throws Error where it cannot be started, or the recorder for its MPI library is not installed
int run_recorded(const Launch& launch);
/// The same launcher with the replayer in the program's place: exchanges of the file `plan`, answers in `result`.
/// \return its exit status
int run_replay(const Launch& launch, const std::string& plan, const std::string& result);
/// \throws Error where this build's MPI library is not the program's, before anything runs
void expect_replay(const Launch& launch);

}  // namespace seiche::profile
