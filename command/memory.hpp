// SPDX-License-Identifier: BSD-3-Clause
/// \file  --memory: the most that each process of a command may use.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "session.hpp"

namespace seiche::command {

/// Adds the option; `limit` stays empty where it is not given.
void add_memory_option(CLI::App& command, std::string& limit);

/// Collective. Bytes that are left for moving data under `limit` beside what the program takes already and `held` bytes
/// that this process will hold at once; 0 where there is no limit. \throws Error, with the amount that would do, where
/// that is next to nothing
std::int64_t memory_left(const Session& session, const std::string& limit, std::int64_t held = 0);

}  // namespace seiche::command
