// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche tune --machine FILE`: how fast the machine is that these ranks run on, for `seiche predict`.
#pragma once

#include <string>

#include "session.hpp"

namespace seiche::command {

/// Where the machine's rates are: what the user said, or machine.json beside the tuning file. \throws Error where there
/// is no such place
std::string machine_path(const std::string& said);

/// Collective. `budget`: seconds for each kind of rate.
void tune_machine(const Session& session, const std::string& path, double budget);

}  // namespace seiche::command
