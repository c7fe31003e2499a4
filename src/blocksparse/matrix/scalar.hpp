// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common functions for real and complex values: their parts, and norms of blocks.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace seiche {

template <class Value>
struct RealOf {
  using type = Value;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type = Real;
};
template <class Value>
using Real = typename RealOf<Value>::type;
template <class Value>
inline constexpr bool is_complex = !std::is_same_v<Value, Real<Value>>;

template <class Value>
Value conjugate(Value v) {
  if constexpr (is_complex<Value>) return std::conj(v);
  return v;
}
template <class Value>
double real_part(Value v) {
  return std::real(v);
}
template <class Value>
double imaginary_part(Value v) {
  return std::imag(v);
}
/// Drops the imaginary part for a real type.
template <class Value>
Value value_of(double real, double imaginary) {
  if constexpr (is_complex<Value>)
    return Value(static_cast<Real<Value>>(real), static_cast<Real<Value>>(imaginary));
  else
    return static_cast<Value>(real);
}

/// Returns the sum of x^2 in double precision, as the sum of so many partial sums.
template <int lanes, class Real>
double sum_of_squares_in(const Real* x, std::int64_t n) {
  const auto square = [x](std::int64_t i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); };
  double sums[lanes] = {}, even = 0, odd = 0;
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += square(i + lane);
  }
  for (; i + 2 <= n; i += 2) {
    even += square(i);
    odd += square(i + 1);
  }
  if (i < n) even += square(i);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0] + (even + odd);
}

/// Returns the sum of |v|^2 in an order that depends on n alone, in double precision for all types.
template <class Value>
double sum_of_squares(const Value* v, std::int64_t n) {
  constexpr std::int64_t few = 256;  // the sum of the partial sums takes longer than the rest
  const auto* x = reinterpret_cast<const Real<Value>*>(v);
  const auto reals = static_cast<std::int64_t>(n * sizeof(Value) / sizeof(Real<Value>));
  return reals < few ? sum_of_squares_in<8>(x, reals) : sum_of_squares_in<16>(x, reals);
}

/// Returns a norm that is not below the exact one, so that bounds derived from it hold.
inline float norm_above(double squares) {
  const double norm = std::sqrt(squares) * (1 + 1e-12);
  if (!(norm <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::infinity();
  const auto nearest = static_cast<float>(norm);
  return nearest >= norm ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
}

}  // namespace seiche
