// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFT grids of densities.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// The smallest grid that holds the density's waves, with factors 2, 3 and 5 only, and on which the operations take
/// points to points (where any does: translations need not be simple fractions). \throws Error(bad_file) for a million
/// points along an axis and more
GridShape fft_grid(const Crystal& crystal, double density_cutoff);

/// Whether a wave has a place of its own on a grid.
bool fits(const GridShape& grid, const Miller& g);

/// That the grid holds the density's waves: they reach twice as far as those of the bands. \throws Error(bad_argument)
void expect_room_for_density(const OrbitalHeader& header);

}  // namespace seiche
