// SPDX-License-Identifier: BSD-3-Clause
/// \file  The tuning file: settings of each case.
#pragma once

#include <map>
#include <string>

#include "seiche/communicator.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

/// Reads the settings of all cases; none if there is no file. Call it on one process only. \throws Error(bad_file) if
/// the file is damaged
std::map<std::string, Settings> read_tuning(const std::string& path);

/// Adds or replaces a case. The file is replaced atomically. Call it on one process only.
void write_tuning(const std::string& path, const std::string& tuned_case, const Settings& settings);

/// Collective. Returns the settings of a case, or nothing. Rank 0 reads the file once and caches it.
Settings tuning_of(const Communicator& comm, const std::string& tuned_case);

}  // namespace seiche
