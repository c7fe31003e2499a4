// SPDX-License-Identifier: BSD-3-Clause
/// \file  Formulas at one point of the grid, for the host and for kernels. `Value` is a real type, std::complex, or the
/// complex type of kernels. Complex products are written out: those of std::complex treat infinities separately, which
/// is slow.
#pragma once

#include <complex>
#include <type_traits>

#if defined(__CUDACC__) || defined(__HIP__)
#include <cuda_runtime.h>
#define SEICHE_POINTWISE __device__ __forceinline__
#else
#define SEICHE_POINTWISE inline __attribute__((always_inline))
#endif

namespace seiche {

// Parts of a value. The complex type of kernels has its own functions.
SEICHE_POINTWISE float real_part(float value) { return value; }
SEICHE_POINTWISE double real_part(double value) { return value; }
SEICHE_POINTWISE float imaginary_part(float) { return 0; }
SEICHE_POINTWISE double imaginary_part(double) { return 0; }
template <class Real>
inline Real real_part(const std::complex<Real>& value) {
  return value.real();
}
template <class Real>
inline Real imaginary_part(const std::complex<Real>& value) {
  return value.imag();
}

/// Returns a b.
template <class Value>
SEICHE_POINTWISE Value product(const Value& a, const Value& b) {
  if constexpr (std::is_floating_point_v<Value>) {
    return a * b;
  } else {
    return {real_part(a) * real_part(b) - imaginary_part(a) * imaginary_part(b),
            real_part(a) * imaginary_part(b) + imaginary_part(a) * real_part(b)};
  }
}
/// Returns a^* b.
template <class Value>
SEICHE_POINTWISE Value conjugate_product(const Value& a, const Value& b) {
  if constexpr (std::is_floating_point_v<Value>) {
    return a * b;
  } else {
    return {real_part(a) * real_part(b) + imaginary_part(a) * imaginary_part(b),
            real_part(a) * imaginary_part(b) - imaginary_part(a) * real_part(b)};
  }
}
/// Returns |a|^2.
template <class Value>
SEICHE_POINTWISE double squared(const Value& a) {
  const double re = real_part(a), im = imaginary_part(a);
  return std::is_floating_point_v<Value> ? re * re : re * re + im * im;
}

/// Density and magnetization of a spinor, times a weight.
struct SpinDensity {
  double n, mx, my, mz;
};
template <class Value>
SEICHE_POINTWISE SpinDensity spin_density(double weight, const Value& up, const Value& down) {
  const double ux = real_part(up), uy = imaginary_part(up), dx = real_part(down), dy = imaginary_part(down);
  const double uu = ux * ux + uy * uy, dd = dx * dx + dy * dy;
  return {weight * (uu + dd), 2 * weight * (ux * dx + uy * dy), 2 * weight * (ux * dy - uy * dx), weight * (uu - dd)};
}

/// Potential v + b.sigma.
template <class Real>
struct SpinPotential {
  Real v, bx, by, bz;
};
/// Returns one component of the product of a potential and a spinor. `sign`: 1 for the component up, -1 for down.
/// `own`: this component of the spinor.
template <class Value, class Real>
SEICHE_POINTWISE Value spin_product(const SpinPotential<Real>& potential, Real sign, const Value& own,
                                    const Value& other) {
  const Real same = potential.v + sign * potential.bz, bx = potential.bx, by = sign * potential.by;
  return {same * real_part(own) + (bx * real_part(other) + by * imaginary_part(other)),
          same * imaginary_part(own) + (bx * imaginary_part(other) - by * real_part(other))};
}

}  // namespace seiche
