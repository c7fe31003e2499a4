// SPDX-License-Identifier: BSD-3-Clause
/// \file  Rows of coefficients in the caller's array: one for each component of each band. Rows may be padded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "fft/sphere/sphere_plan.hpp"
#include "seiche/coefficients.hpp"
#include "support/require.hpp"

namespace seiche {

inline std::int64_t rows_of(const SpherePlan& plan, std::int64_t bands) { return bands * plan.options.components; }

/// Which coefficients of a call an error is about.
inline constexpr const char *input = "input ", *output = "output ";

/// Returns the distance of rows. Arrays without values have rows of length 0.
template <class Coefficient>
std::int64_t row_length(const SpherePlan& plan, const Coefficients<Coefficient>& given) {
  if (given.values.empty()) return 0;
  return given.row_length == 0 ? plan.waves : given.row_length;
}

/// Checks the number of bands, and the row length, the size and the place of an array. \throws Error if they are
/// invalid
template <class Coefficient>
void require_coefficients(const SpherePlan& plan, std::int64_t bands, const Coefficients<Coefficient>& given,
                          const char* which) {
  constexpr std::int64_t most = std::int64_t{1} << 32, most_values = std::int64_t{1} << 62;  // prevent overflow
  require(bands >= 0 && bands <= most, Fault::bad_argument, "fft: wrong number of bands ({}): pass 0 to {}", bands,
          most);
  const std::int64_t rows = rows_of(plan, bands), longest = most_values / std::max<std::int64_t>(rows, 1);
  const std::int64_t length = given.row_length == 0 ? plan.waves : given.row_length;
  require(length >= plan.waves && length <= longest, Fault::bad_argument,
          "fft: wrong row length of the {}coefficients ({}): pass 0, or {} (the waves of this rank) to {}", which,
          given.row_length, plan.waves, longest);
  const std::int64_t needed = rows > 0 ? (rows - 1) * length + plan.waves : 0;
  require(std::ssize(given.values) >= needed, Fault::bad_argument,
          "fft: the array of {}coefficients is too short ({}): {} bands of {} waves and {} components with row length "
          "{} need {}",
          which, given.values.size(), bands, plan.waves, plan.options.components, length, needed);
  plan.queue.require_here(given.values.data());
}

}  // namespace seiche
