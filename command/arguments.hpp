// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a command checks before it does anything: that all processes were asked for the same, and that its
/// output is not its input.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace seiche::command {

/// Collective. \throws Error unless all processes have the same arguments, and the same variables SEICHE_*
void expect_same_arguments(const Session& session, int argc, char** argv);

/// Collective. \throws Error where `output` is one of `inputs` under whatever name, lies in one of them, or holds one.
/// Empty names are skipped.
void expect_apart(const Session& session, const std::string& output, const std::vector<std::string>& inputs);

}  // namespace seiche::command
