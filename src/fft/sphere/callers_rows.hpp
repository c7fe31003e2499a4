// SPDX-License-Identifier: BSD-3-Clause
/// \file  Rows of coefficients in the caller's array: one for each component of each band. Rows may be padded.
#pragma once

#include <cstdint>
#include <span>

#include "fft/sphere/sphere_plan.hpp"
#include "support/require.hpp"

namespace seiche {

inline std::int64_t rows_of(const SpherePlan& plan, std::int64_t bands) { return bands * plan.options.components; }

/// Returns the length of a row in an array of `given` coefficients.
inline std::int64_t row_length(const SpherePlan& plan, std::int64_t bands, std::size_t given) {
  return bands > 0 ? static_cast<std::int64_t>(given) / rows_of(plan, bands) : 0;
}

/// Checks the number of bands, and the size and the place of an array. \throws Error if they are invalid
template <class Coefficient>
void require_coefficients(const SpherePlan& plan, std::int64_t bands, std::span<Coefficient> given) {
  constexpr std::int64_t most = std::int64_t{1} << 32;  // prevents overflow of array sizes
  require(bands >= 0 && bands <= most, Fault::bad_argument, "fft: wrong number of bands ({}): pass 0 to {}", bands,
          most);
  const std::int64_t length = row_length(plan, bands, given.size());
  require(
      given.size() == static_cast<std::size_t>(rows_of(plan, bands) * length) && (bands == 0 || length >= plan.waves),
      Fault::bad_argument,
      "fft: {} bands of {} waves and {} components need {} coefficients, or longer rows of equal length (got {})",
      bands, plan.waves, plan.options.components, rows_of(plan, bands) * plan.waves, given.size());
  plan.queue.require_here(given.data());
}

}  // namespace seiche
