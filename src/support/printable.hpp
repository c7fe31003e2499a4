// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of arbitrary bytes to printable text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "support/formatted.hpp"

namespace seiche {

/// Returns the length of the first character in bytes; 0 for a control character or invalid UTF-8.
inline std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const std::size_t length = first >= 0xc3 && first < 0xe0                         ? 2
                             : first >= 0xe0 && first < 0xf0                       ? 3
                             : first >= 0xf0 && first < 0xf5                       ? 4
                             : first == 0xc2 && text.size() > 1 && byte(1) >= 0xa0 ? 2
                                                                                   : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// Replaces bytes that are not printable by \x00 and so on.
inline std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    if (length > 0) {
      shown += text.substr(0, length);
    } else {
      shown += formatted("\\x{:02x}", static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace seiche
