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

/// Settings of a case in the tuning file. They are advice: work with settings that are missing or unusable uses the
/// default rules.
struct Advice {
  Settings settings{};
  std::string use = "none";  ///< for reports: "none", "used", or "ignored: " and the reason
};
/// Returns advice without settings. `reason`: what is wrong with the file or its entry
Advice ignored(const std::string& reason);

/// Collective. Returns the settings of a case, or nothing. A damaged file is ignored. Rank 0 reads the file once and
/// caches it.
Advice tuning_of(const Communicator& comm, const std::string& tuned_case);

}  // namespace seiche
