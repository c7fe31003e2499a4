// SPDX-License-Identifier: BSD-3-Clause
/// \file  The tuning file: what was found fastest for each case (docs/tuning.md).
#pragma once

#include <map>
#include <string>

namespace seiche {

using Settings = std::map<std::string, std::string>;  ///< by name, e.g. {"way", "pairwise"}

/// Where the tuning file is: SEICHE_TUNING, else seiche/tuning.json in XDG_CACHE_HOME or ~/.cache. Empty: nowhere.
std::string tuning_path();
/// Settings of each case in the file; none when there is no file. For one process.
/// \throws Error(bad_file) when the file is not what it should be
std::map<std::string, Settings> tuned_cases();

}  // namespace seiche
