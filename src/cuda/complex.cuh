// SPDX-License-Identifier: BSD-3-Clause
/// \file  Complex numbers of kernels.
#pragma once

#include "device/pointwise.hpp"

namespace seiche::cuda {

template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real x, y;
  // for the formulas in device/pointwise.hpp
  friend SEICHE_POINTWISE Real real_part(const Complex& value) { return value.x; }
  friend SEICHE_POINTWISE Real imaginary_part(const Complex& value) { return value.y; }
};

}  // namespace seiche::cuda
