// SPDX-License-Identifier: BSD-3-Clause
/// \file  One call of `seiche`, with MPI initialized, or without MPI for commands that start programs.
#pragma once

#include "session.hpp"

namespace seiche::command {

/// Runs the command given by the words after `argv[0]`, and prints errors in one line. Collective unless
/// `session.alone`. \return `session.status` = done, `session.error_status` = invalid input or request, 2 = internal
/// error
int run_command(int argc, char** argv, Session& session);

}  // namespace seiche::command
