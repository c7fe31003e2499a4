// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks of the rows of coefficients in an array of the calling code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "seiche/coefficients.hpp"
#include "support/require.hpp"

namespace seiche {

/// Checks the number of bands, and the row length and the size of an array. Messages name the `call`, and `which`
/// coefficients they are about. \throws Error if they are invalid
template <class Coefficient>
void require_rows(const char* call, const char* which, const Coefficients<Coefficient>& given, std::int64_t bands,
                  std::int64_t components, std::int64_t waves) {
  constexpr std::int64_t most = std::int64_t{1} << 32, most_values = std::int64_t{1} << 62;  // prevent overflow
  require(bands >= 0 && bands <= most, Fault::bad_argument, "{}: wrong number of bands ({}): pass 0 to {}", call, bands,
          most);
  const std::int64_t rows = bands * components, longest = most_values / std::max<std::int64_t>(rows, 1);
  const std::int64_t length = given.row_length == 0 ? waves : given.row_length;
  require(length >= waves && length <= longest, Fault::bad_argument,
          "{}: wrong row length of the {}coefficients ({}): pass 0, or {} (the waves of this rank) to {}", call, which,
          given.row_length, waves, longest);
  const std::int64_t needed = rows > 0 ? (rows - 1) * length + waves : 0;
  require(
      std::ssize(given.values) >= needed, Fault::bad_argument,
      "{}: the array of {}coefficients is too short ({}): {} bands of {} waves and {} components with row length {} "
      "need {}",
      call, which, given.values.size(), bands, waves, components, length, needed);
}

}  // namespace seiche
