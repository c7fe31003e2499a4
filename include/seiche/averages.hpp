// SPDX-License-Identifier: BSD-3-Clause
/// \file  Averages of quantities on a grid over planes, and their differences.
#pragma once

#include "seiche/density.hpp"
#include "seiche/table.hpp"

namespace seiche {

/// Collective. Means over the planes of grid points that two lattice vectors span, a row for each of the points along
/// `axis` (0, 1, 2): `distance` of the plane from that through the origin (bohr), then a column for each component. The
/// same to the last bit on any number of ranks. \throws Error(bad_argument) for another axis
Table planar_average(const Density& values, int axis);

/// Local. Adds to a planar average, for each of its columns, the mean of that periodic function over `length` (bohr)
/// around each point; between points it is taken as linear. \throws Error(bad_argument) unless `length` is above 0
Table macroscopic_average(const Table& planar, double length);

/// Collective. a - b, component by component. \throws Error unless both lie on the same grid, shared out alike, and
/// have the same components and units
Density difference(const Density& a, const Density& b);

}  // namespace seiche
