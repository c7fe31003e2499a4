// SPDX-License-Identifier: BSD-3-Clause
/// \file  The tuning file: the fastest settings for each case.
#pragma once

#include <map>
#include <string>

#include "seiche/cxx20.hpp"

namespace seiche {

using Settings = std::map<std::string, std::string>;  ///< Settings of a case by name, e.g. {"window", "3"}.

/// Local. Returns the path of the tuning file: SEICHE_TUNING, else seiche/tuning.json in XDG_CACHE_HOME or ~/.cache.
/// Returns an empty string if there is none.
std::string tuning_path();
/// Local. Reads the settings of all cases. Returns an empty map if there is no file. Call it on one process only.
/// \throws Error(bad_file) if the file is damaged
std::map<std::string, Settings> tuned_cases();

}  // namespace seiche
