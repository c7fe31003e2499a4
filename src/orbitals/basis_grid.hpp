// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density's FFT grid of a basis.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// The smallest grid that holds the density's waves, with factors 2, 3 and 5 only, and on which the operations take
/// points to points (where any does: translations need not be simple fractions).
GridShape grid_of_basis(const OrbitalHeader& header);

/// Whether a wave has a place of its own on a grid.
bool fits(const GridShape& grid, const Miller& g);

/// That the grid holds the density's waves: they reach twice as far as those of the bands. \throws Error(bad_argument)
void expect_room_for_density(const OrbitalHeader& header);

}  // namespace seiche
