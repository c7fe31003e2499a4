// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <numbers>

#include "seiche/crystal.hpp"

namespace seiche {

/// Returns the distance in bohr between planes of two lattice vectors, along the third one's `axis`.
inline double distance_of_planes(const Crystal& crystal, std::size_t axis) {
  const Vector3 b = crystal.reciprocal()[axis];
  return 2 * std::numbers::pi / std::hypot(b[0], b[1], b[2]);
}

}  // namespace seiche
