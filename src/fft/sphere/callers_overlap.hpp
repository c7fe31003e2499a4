// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks whether arrays of the caller overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fft/sphere/callers_rows.hpp"
#include "support/require.hpp"

namespace seiche {

/// Checks that an input and an output are apart. \throws Error if they overlap
inline void require_apart(std::span<const std::byte> in, std::span<const std::byte> out) {
  const bool apart =
      in.empty() || out.empty() || in.data() + in.size() <= out.data() || out.data() + out.size() <= in.data();
  require(apart, Fault::bad_argument, "fft: the input and output arrays overlap: pass separate arrays");
}

/// Returns the coefficients of some bands, with the padding between rows. \pre require_coefficients()
template <class Complex>
std::span<const std::byte> used_bytes(const SpherePlan& plan, std::int64_t bands, const Coefficients<Complex>& given) {
  const std::int64_t rows = rows_of(plan, bands);
  const std::int64_t used = rows > 0 ? (rows - 1) * row_length(plan, given) + plan.waves : 0;
  return std::as_bytes(given.values.first(static_cast<std::size_t>(used)));
}

/// Checks that coefficients of a call that reads and writes bands have the same place, or are apart. Bands are written
/// while later ones are read. \throws Error otherwise
template <class In, class Out>
void require_same_or_apart(const SpherePlan& plan, std::int64_t bands, const Coefficients<In>& in,
                           const Coefficients<Out>& out) {
  if (in.values.data() == out.values.data() && row_length(plan, in) == row_length(plan, out)) return;
  require_apart(used_bytes(plan, bands, in), used_bytes(plan, bands, out));
}

}  // namespace seiche
