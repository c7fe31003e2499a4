// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads numbers in text of C and Fortran programs, independently of the locale. All readers use it.
#pragma once

#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seiche {

inline bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Returns the beginning of a word, for messages.
std::string shortened(std::string_view word);

inline constexpr std::size_t longest_number = 64;  ///< characters

/// Takes a number from the front of `text`. The exponent follows e, E, d or D, or is a sign and three digits without a
/// letter. A blank, the end or the sign of the next number ends it. \return nothing, and leaves `text` unchanged, if
/// there is no number or one longer than `longest_number`
std::optional<double> take_number(std::string_view& text);

/// Returns the number that `word` consists of. \return nothing for any other text
std::optional<double> number_in(std::string_view word);
/// Returns the decimal integer that `word` consists of. \return nothing for any other text, and if it exceeds 64 bits
std::optional<std::int64_t> integer_in(std::string_view word);

}  // namespace seiche
