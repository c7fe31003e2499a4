// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cuts through quantities on a grid: along lines, at a constant height, on planes of any direction.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "seiche/density.hpp"
#include "seiche/table.hpp"

namespace seiche {

/// Collective. Values at `points` equally distant points from `from` to `to` (both included; units of the lattice), a
/// row for each: distance from the first (bohr), its place x, y, z (units of the lattice), a column for each component.
/// Between points of the grid they are those of its waves, which is exact. The same to the last bit on any number of
/// ranks. \throws Error(bad_argument) for fewer than 2 points, or no line
Table line_cut(const Density& values, const Vector3& from, const Vector3& to, int points);

/// Collective. Values on the plane that two lattice vectors span, so high (bohr) above that through the origin along
/// the third one's, `axis` (0, 1, 2): at the grid's points along these two, a row for each, with its cartesian place in
/// the plane (bohr, the first axis along the first of the vectors), and a column for each component. Along the third
/// axis they are those of the grid's waves. The same to the last bit on any number of ranks. \throws
/// Error(bad_argument) for another axis
Table height_cut(const Density& values, int axis, double height);

/// A square piece of a plane, cartesian, bohr.
struct Plane {
  Vector3 centre{}, right{}, up{};  ///< right and up are perpendicular unit vectors
  double side = 0;
  std::string name;  ///< which plane it is, in words

  Vector3 point(double u, double v) const;  ///< u, v from -1/2 to 1/2, to the right and up
};

/// Local. The plane through the most tightly bound atom and its two nearest neighbours; of two lattice vectors without
/// atoms.
Plane plane_of_bonds(const Crystal& crystal);

/// Local. The plane through three atoms, counted from 0: the second at its image nearest to the first, the third at its
/// nearest that is not in one line with them. \throws Error(bad_argument) for atoms that are not there
Plane plane_of_atoms(const Crystal& crystal, const std::array<int, 3>& atoms);

/// Local. The lattice plane (hkl) at `distance` (bohr) from the origin. \throws Error(bad_argument) for (000)
Plane plane_of_indices(const Crystal& crystal, const Miller& hkl, double distance = 0);

/// One component on a plane.
struct PlaneValues {
  int pixels = 0;
  std::vector<double> values;   ///< pixels x pixels, row after row from the top; points are in the middle of pixels
  double largest_anywhere = 0;  ///< of |value|, on all of the grid

  std::pair<double, double> bounds() const;  ///< the least and the greatest
  /// There is next to nothing on the plane, less than 1e-4 of the largest value, where the ripples of a cut-off show.
  bool is_noise() const;
};

/// Collective. The values of a component on a plane, on every rank: refined through the waves of the grid, and then
/// interpolated by a windowed sinc, within 1e-5 of the largest. The same to the last bit on any number of ranks.
/// \throws Error(bad_argument) for a component that is not there
PlaneValues plane_values(const Density& density, const Plane& plane, int pixels, int component = 0);

}  // namespace seiche
