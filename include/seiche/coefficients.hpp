// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plane-wave coefficients of bands in an array of the caller.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "seiche/cxx20.hpp"

namespace seiche {

/// Coefficients [band][component][wave] in an array of the caller. A row is one component of a band. Containers of
/// values convert to it implicitly. Pass {array, row_length} if rows are longer than the waves of this rank. The array
/// may be longer than the bands need; the rest and the padding of rows are not changed. Complex may be const.
template <class Complex>
struct Coefficients {
  std::span<Complex> values{};
  std::int64_t row_length = 0;  ///< distance of rows (0: the number of waves of this rank)

  Coefficients() = default;
  /// Refers to the values of `array`, which must exist as long as this object is used.
  template <class Array, class = std::enable_if_t<std::is_convertible_v<Array&&, std::span<Complex>>>>
  Coefficients(Array&& array, std::int64_t length = 0)  // NOLINT: implicit on purpose
      : values(std::forward<Array>(array)), row_length(length) {}
  /// Refers to the values of `other` for reading.
  template <class Other, class = std::enable_if_t<std::is_convertible_v<std::span<Other>, std::span<Complex>>>>
  Coefficients(const Coefficients<Other>& other)  // NOLINT: implicit on purpose
      : values(other.values), row_length(other.row_length) {}
};

}  // namespace seiche
