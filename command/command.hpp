// SPDX-License-Identifier: BSD-3-Clause
/// \file  One call of `seiche`, with MPI initialized, or without MPI for commands that start programs.
#pragma once

#include <optional>

#include "session.hpp"

namespace seiche::command {

/// Parses the words after `argv[0]` without running a command, and without MPI. Prints the text of --help or --version,
/// or the error. \return the exit status; nothing if the words are a command
std::optional<int> usage_status(int argc, char** argv, Session& session);

/// Runs the command given by the words after `argv[0]`, and prints errors in one line. Collective unless
/// `session.alone`. \return `session.status` = done, `session.error_status` = invalid input or request, 2 = internal
/// error
int run_command(int argc, char** argv, Session& session);

}  // namespace seiche::command
