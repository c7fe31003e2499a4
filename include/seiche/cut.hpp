// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cuts through quantities on a grid: along lines, at a constant height, and on any plane.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "seiche/density.hpp"
#include "seiche/table.hpp"

namespace seiche {

/// Collective. Returns values at `points` equidistant points from `from` to `to` (both included, in units of the
/// lattice vectors). Each row has the distance from the first point (bohr), the point x, y, z (units of the lattice
/// vectors), and one value per component. Interpolation is trigonometric. Results are bitwise identical on any number
/// of ranks.
/// \throws Error(bad_argument) for fewer than 2 points, or if `from` equals `to`
Table line_cut(const Density& values, const Vector3& from, const Vector3& to, int points);

/// Collective. Returns values on a plane parallel to two lattice vectors; `axis` (0, 1, 2) is the index of the third
/// one. `height` is the distance from the parallel plane through the origin (bohr). There is one row per grid point
/// along the two vectors. It has the Cartesian coordinates in the plane (bohr, the first along the first vector) and
/// one value per component. Interpolation along `axis` is trigonometric. Results are bitwise identical on any number of
/// ranks.
/// \throws Error(bad_argument) for any other `axis`
Table height_cut(const Density& values, int axis, double height);

/// A square in a plane. Cartesian, bohr.
struct Plane {
  Vector3 centre{}, right{}, up{};  ///< `right` and `up` are perpendicular unit vectors
  double side = 0;                  ///< length of a side, bohr
  std::string name;                 ///< description for output

  /// Returns a point of the square. `u` (to the right) and `v` (up) range from -1/2 to 1/2.
  Vector3 point(double u, double v) const;
};

/// Local. Returns the plane through an atom and its two nearest neighbours, for the atom with the shortest distances.
/// Without atoms, returns a plane of two lattice vectors.
Plane plane_of_bonds(const Crystal& crystal);

/// Local. Returns the plane through three atoms (indices from 0). The periodic image of the second atom is the one
/// closest to the first. The image of the third is the closest one that is not collinear.
/// \throws Error(bad_argument) for an index out of range
Plane plane_of_atoms(const Crystal& crystal, const std::array<int, 3>& atoms);

/// Local. Returns the lattice plane (hkl) at `distance` (bohr) from the origin.
/// \throws Error(bad_argument) for (000)
Plane plane_of_indices(const Crystal& crystal, const Miller& hkl, double distance = 0);

/// Values of one component on a plane.
struct PlaneValues {
  int pixels = 0;               ///< number of pixels along each side
  std::vector<double> values;   ///< [pixels][pixels], rows from top to bottom, at the centres of the pixels
  double largest_anywhere = 0;  ///< largest |value| on the whole grid

  std::pair<double, double> bounds() const;  ///< Smallest and largest value on the plane.
  /// Tells whether all values are below 1e-4 of the largest one on the grid. Then cutoff ripples may dominate.
  bool is_noise() const;
};

/// Collective. Returns the values of a component on a plane, on every rank. The grid is refined by Fourier
/// interpolation and then interpolated with a windowed sinc, with an error below 1e-5 of the largest value. Results are
/// bitwise identical on any number of ranks.
/// \throws Error(bad_argument) for a component that does not exist, or a plane with a number that is not finite
PlaneValues plane_values(const Density& density, const Plane& plane, int pixels, int component = 0);

}  // namespace seiche
