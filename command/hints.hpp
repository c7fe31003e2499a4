// SPDX-License-Identifier: BSD-3-Clause
/// \file  Options of the command that follow a remedy of the library.
#pragma once

#include <string>

namespace seiche::command {

/// Returns a sentence of the library with the option or command that does what it advises: "... choose one of qe, wfn
/// (--to)". Other sentences stay as they are.
std::string with_option(const std::string& sentence);

}  // namespace seiche::command
