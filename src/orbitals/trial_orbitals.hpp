// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plane-wave coefficients of trial orbitals.
#pragma once

#include <complex>
#include <vector>

#include "seiche/wannier.hpp"

namespace seiche {

/// \throws Error(bad_argument) if the function does not exist or its axes are invalid
void require_sound(const TrialOrbital& orbital);

/// Returns the integral of r^power j_l(q r) exp(-a r) over r, for l = 0 to 3, power = 2 to 4 and a > 0.
double radial_integral(int l, int power, double a, double q);

/// Coefficients of a trial orbital in the waves exp(i q.r) / sqrt(volume) of a cell, one component: <exp(i q.r)|g>.
class TrialWaves {
 public:
  TrialWaves(const Crystal& crystal, const TrialOrbital& orbital);
  /// \param q  k + G, in units of b1, b2, b3
  std::complex<double> operator()(const Vector3& q) const;
  /// Returns the factors of the two spinor components.
  std::array<std::complex<double>, 2> spin() const;

 private:
  const TrialOrbital orbital_;
  std::array<Vector3, 3> reciprocal_, axes_;
  double root_volume_;
};

}  // namespace seiche
