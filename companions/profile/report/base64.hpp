// SPDX-License-Identifier: BSD-3-Clause
/// \file  The encoding of numbers in a page.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace seiche::profile {

/// Returns numbers as base64 of their bytes, which reduces the size of a page.
template <class Number>
std::string packed(const std::vector<Number>& numbers) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  const std::size_t n = numbers.size() * sizeof(Number);
  std::string text;
  text.reserve((n + 2) / 3 * 4);
  for (std::size_t i = 0; i < n; i += 3) {
    const unsigned group = bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
    text += letters[group >> 18];
    text += letters[group >> 12 & 63];
    text += i + 1 < n ? letters[group >> 6 & 63] : '=';
    text += i + 2 < n ? letters[group & 63] : '=';
  }
  return text;
}

/// Returns a bin's share of its time, 0 to 1, as a byte, which is sufficient for rows of 30 pixels. Positive shares are
/// not rounded to zero.
inline std::uint8_t share(double part) {
  return static_cast<std::uint8_t>(std::ceil(255 * std::clamp(part, 0.0, 1.0)));
}

}  // namespace seiche::profile
