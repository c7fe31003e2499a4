// SPDX-License-Identifier: BSD-3-Clause
/// \file  Errors of the command line in one line, with the name that was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace seiche::command {

/// Returns the message for a command line that `app` does not accept: the cause, the remedy and the command's --help.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace seiche::command
