// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion to lower case.
#pragma once

#include <cctype>
#include <string>

namespace seiche {

inline std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace seiche
