// SPDX-License-Identifier: BSD-3-Clause
/// \file  A plane through a crystal that shows its bonds, and a density on it.
#pragma once

#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// A square piece of a plane, cartesian, bohr.
struct Plane {
  Vector3 centre{}, right{}, up{};  ///< right and up are perpendicular unit vectors
  double side = 0;

  Vector3 point(double u, double v) const;  ///< u, v from -1/2 to 1/2, to the right and up
};

/// The plane through the most tightly bound atom and its two nearest neighbours; of two lattice vectors without atoms.
Plane plane_of_bonds(const Crystal& crystal);

/// Collective. The total density at pixels x pixels points of `plane`, rows from the top, on rank 0 (elsewhere empty).
/// The density is refined through its waves, which is exact, and then interpolated by a windowed sinc.
std::vector<double> sample(const Density& density, const Plane& plane, int pixels);

}  // namespace seiche
