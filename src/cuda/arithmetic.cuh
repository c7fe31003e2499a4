// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arithmetic of complex numbers, and loops that the compiler unrolls.
#pragma once

#include <type_traits>
#include <utility>

#include "cuda/complex.cuh"
#include "cuda/launch.cuh"

#define SEICHE_DEVICE __device__ __forceinline__
#ifdef __CUDACC__
#define SEICHE_ROLLED _Pragma("unroll 1")
#else
#define SEICHE_ROLLED  // sanitizers change loops, and GCC warns about annotations that it ignores
#endif

namespace seiche::cuda {

template <class Real>
SEICHE_DEVICE Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class Real>
SEICHE_DEVICE Complex<Real> operator-(Complex<Real> a, Complex<Real> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class Real>
SEICHE_DEVICE Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
/// Returns a * conj(b).
template <class Real>
SEICHE_DEVICE Complex<Real> times_conjugate(Complex<Real> a, Complex<Real> b) {
  return {a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y};
}
template <class Real>
SEICHE_DEVICE Complex<Real> scaled(Complex<Real> a, Real factor) {
  return {a.x * factor, a.y * factor};
}

template <class Function, int... I>
SEICHE_DEVICE void unroll_over(Function&& function, std::integer_sequence<int, I...>) {
  (function(std::integral_constant<int, I>{}), ...);
}

/// Calls function(i) for 0 <= i < Count, where i is a constant. Arrays with constant indices stay in registers.
template <int Count, class Function>
SEICHE_DEVICE void unroll(Function&& function) {
  unroll_over(function, std::make_integer_sequence<int, Count>{});
}

}  // namespace seiche::cuda
