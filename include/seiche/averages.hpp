// SPDX-License-Identifier: BSD-3-Clause
/// \file  Planar and macroscopic averages of quantities on a grid, and differences of two quantities.
#pragma once

#include "seiche/density.hpp"
#include "seiche/table.hpp"

namespace seiche {

/// Collective. Averages each component over planes of grid points. Two lattice vectors span the planes; `axis` (0, 1,
/// 2) is the index of the third one. The table has one row per plane. Its first column is the distance of the plane
/// from the origin (bohr). One column per component follows. The result is bitwise identical on any number of ranks.
/// \throws Error(bad_argument) for any other `axis`
Table planar_average(const Density& values, int axis);

/// Local. Adds the macroscopic average to each column of a planar average. It is the mean over an interval of `length`
/// (bohr) centred on each point. The function is periodic, and linear between points.
/// \throws Error(bad_argument) unless `length` is positive and the table has at least 2 rows and columns
Table macroscopic_average(const Table& planar, double length);

/// Collective. Returns a - b for each component.
/// \throws Error(bad_argument) unless both have the same grid, distribution, number of components and units
Density difference(const Density& a, const Density& b);

}  // namespace seiche
