// SPDX-License-Identifier: BSD-3-Clause
/// \file  Two runs side by side, from the data of their pages.
#pragma once

#include <string>

namespace seiche::profile {

/// The second run's data with the first's inside, for one page.
std::string both(const std::string& before, const std::string& after);
/// Functions by how much their time changed, as a table.
std::string differences(const std::string& before, const std::string& after, std::size_t most_rows);
std::string differences_as_json(const std::string& before, const std::string& after);

}  // namespace seiche::profile
