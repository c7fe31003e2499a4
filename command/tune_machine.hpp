// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche tune --machine FILE`: measures the machine of these ranks, for `seiche predict`.
#pragma once

#include <string>

#include "session.hpp"

namespace seiche::command {

/// Returns the path of the machine file: `given`, or machine.json beside the tuning file. \throws Error if there is no
/// such folder
std::string machine_path(const std::string& given);

/// Collective. `budget`: seconds for each kind of rate.
void tune_machine(const Session& session, const std::string& path, double budget);

}  // namespace seiche::command
