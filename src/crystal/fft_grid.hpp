// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFT grids of densities.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Returns whether a grid represents a wave without aliasing.
bool fits(const GridShape& grid, const Miller& g);

/// Checks that the grid holds the density's waves, which reach twice as far as the waves of the bands. \throws
/// Error(bad_argument)
void expect_room_for_density(const OrbitalHeader& header);

}  // namespace seiche
