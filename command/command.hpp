// SPDX-License-Identifier: BSD-3-Clause
/// \file  One call of `seiche`, with MPI running or, for what starts programs, without.
#pragma once

#include "session.hpp"

namespace seiche::command {

/// Does what the words after `argv[0]` ask for, and says in one line what is wrong. Collective unless `session.alone`.
/// \return 0 = done, 1 = the input or the request is wrong, 2 = a defect of the program
int run_command(int argc, char** argv, Session& session);

}  // namespace seiche::command
