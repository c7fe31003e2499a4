// SPDX-License-Identifier: BSD-3-Clause
/// \file  The text of the tuning file: JSON of an object for each case, whose members are texts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "seiche/tuning_file.hpp"

namespace seiche {

/// Returns the text of cases. Bytes that are not printable are replaced.
std::string text_of(const std::map<std::string, Settings>& cases);

/// Reads the text of cases; nothing if it is no such text. Escapes other than \" and \\ are not read.
std::optional<std::map<std::string, Settings>> cases_of(std::string_view text);

}  // namespace seiche
