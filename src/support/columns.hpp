// SPDX-License-Identifier: BSD-3-Clause
/// \file  Formatting of numbers in fixed columns.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>

namespace seiche {

/// Width of a number, and digits after the point.
struct Columns {
  std::size_t width;
  int digits;
  std::chars_format format = std::chars_format::fixed;
};

/// Appends a number, padded with blanks on the left. \pre numbers have at most 50 digits before the point
inline void append(std::string& text, double number, const Columns& columns) {
  std::array<char, 80> place{};
  const auto made = std::to_chars(place.data(), place.data() + place.size(), number, columns.format, columns.digits);
  const auto length = static_cast<std::size_t>(made.ptr - place.data());
  if (length < columns.width) text.append(columns.width - length, ' ');
  text.append(place.data(), length);
}

}  // namespace seiche
