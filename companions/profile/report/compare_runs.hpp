// SPDX-License-Identifier: BSD-3-Clause
/// \file  Compares two runs by the data of their pages.
#pragma once

#include <string>

namespace seiche::profile {

/// Returns the data of the second run with the first run inside, for one page.
std::string both(const std::string& before, const std::string& after);
/// Returns a table of functions, sorted by the change of their time.
std::string differences(const std::string& before, const std::string& after, std::size_t most_rows);
std::string differences_as_json(const std::string& before, const std::string& after);

}  // namespace seiche::profile
