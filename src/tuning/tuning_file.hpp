// SPDX-License-Identifier: BSD-3-Clause
/// \file  The file that keeps what tuning found: one line of settings for each case.
#pragma once

#include <map>
#include <string>

#include "seiche/communicator.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// All cases and their settings; none when there is no file. For one process.
/// \throws Error(bad_file) when the file is not what it should be
std::map<std::string, Settings> read_tuning(const std::string& path);

/// Adds or replaces a case. The file is replaced as a whole, so readers see the old or the new one. For one process.
void write_tuning(const std::string& path, const std::string& tuned_case, const Settings& settings);

/// Collective. What the file says of a case, read by rank 0 once and remembered; empty when it says nothing.
Settings tuning_of(const Communicator& comm, const std::string& tuned_case);

}  // namespace seiche
