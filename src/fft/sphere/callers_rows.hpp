// SPDX-License-Identifier: BSD-3-Clause
/// \file  Rows of coefficients in the caller's array: one for each component of each band. Rows may be padded.
#pragma once

#include <cstdint>

#include "fft/sphere/coefficient_rows.hpp"
#include "fft/sphere/sphere_plan.hpp"
#include "seiche/coefficients.hpp"

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
  require_rows("fft", which, given, bands, plan.options.components, plan.waves);
  plan.queue.require_here(given.values.data());
}

}  // namespace seiche
