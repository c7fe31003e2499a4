// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFT grids of densities.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Whether a wave has a place of its own on a grid.
bool fits(const GridShape& grid, const Miller& g);

/// That the grid holds the density's waves: they reach twice as far as those of the bands. \throws Error(bad_argument)
void expect_room_for_density(const OrbitalHeader& header);

}  // namespace seiche
