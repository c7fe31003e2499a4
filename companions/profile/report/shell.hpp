// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace seiche::profile {

/// Quotes a word for the shell.
inline std::string in_quotes(const std::string& word) {
  std::string quoted("'");
  for (const char c : word) {
    if (c == '\'') quoted.append("'\\'");
    quoted.push_back(c);
  }
  quoted.push_back('\'');
  return quoted;
}

}  // namespace seiche::profile
