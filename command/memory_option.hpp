// SPDX-License-Identifier: BSD-3-Clause
/// \file  Limits of the memory of each process: --memory and --memory-limit.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "session.hpp"

namespace seiche::command {

/// Adds the option; `limit` stays empty if it is not given.
void add_memory_option(CLI::App& command, std::string& limit);

/// Adds --memory-limit, the memory of a product per process.
void add_memory_limit(CLI::App& command, std::string& limit);
/// Returns the bytes of --memory-limit; 0 without a limit. A number without a unit is in MB.
std::int64_t memory_limit_of(const std::string& limit);

/// Collective. Returns the bytes for redistribution under `limit`, after the current memory of the program and `held`
/// bytes that this process will allocate; 0 without a limit. \throws Error with a sufficient limit, if almost nothing
/// remains
std::int64_t memory_left(const Session& session, const std::string& limit, std::int64_t held = 0);

}  // namespace seiche::command
