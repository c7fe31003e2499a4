// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks before a command runs: all processes have the same arguments, and no output overwrites an input.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace seiche::command {

/// Collective. \throws Error unless all processes have the same arguments and the same variables SEICHE_*
void expect_same_arguments(const Session& session, int argc, char** argv);

/// Collective. \throws Error if `output` is one of `inputs` (also through links), is inside one of them, or contains
/// one. Empty names are skipped.
void expect_apart(const Session& session, const std::string& output, const std::vector<std::string>& inputs);

}  // namespace seiche::command
