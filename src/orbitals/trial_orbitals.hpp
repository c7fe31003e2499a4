// SPDX-License-Identifier: BSD-3-Clause
/// \file  Trial orbitals as waves.
#pragma once

#include <complex>
#include <vector>

#include "seiche/wannier.hpp"

namespace seiche {

/// \throws Error(bad_argument) for functions that there are not, and axes that are none
void require_sound(const TrialOrbital& orbital);

/// The integral of r^power j_l(q r) exp(-a r) over r, for l = 0 to 3 and power = 2 to 4; a above 0.
double radial_integral(int l, int power, double a, double q);

/// A trial orbital in the waves exp(i q.r) / sqrt(volume) of a cell, one component: <exp(i q.r)|g>.
class TrialWaves {
 public:
  TrialWaves(const Crystal& crystal, const TrialOrbital& orbital);
  /// \param q  k + G, in units of b1, b2, b3
  std::complex<double> operator()(const Vector3& q) const;
  /// By how much the components of a spinor have of it.
  std::array<std::complex<double>, 2> spin() const;

 private:
  const TrialOrbital orbital_;
  std::array<Vector3, 3> reciprocal_, axes_;
  double root_volume_;
};

}  // namespace seiche
