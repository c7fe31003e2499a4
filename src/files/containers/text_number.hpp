// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads a number from text as C and Fortran write it.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace seiche {

inline bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Returns the beginning of a word, for a message.
std::string shortened(std::string_view word);

inline constexpr std::size_t longest_number = 64;  ///< characters

/// Takes a number from the front of `text`. The exponent follows e, E, d or D, or it is a sign and three digits without
/// a letter. A blank, the end or the sign of the next number ends it.
/// \return nothing, and leaves `text`, where there is no number or a longer one than `longest_number`
std::optional<double> take_number(std::string_view& text);

}  // namespace seiche
