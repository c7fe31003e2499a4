// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of vectors, and distances in a lattice.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace seiche {

inline double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns the largest component of a - b modulo lattice vectors, in units of these.
inline double apart_in_lattice(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(a[i] - b[i] - std::round(a[i] - b[i])));
  return most;
}

}  // namespace seiche
