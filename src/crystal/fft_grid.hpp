// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFT grids of densities.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Tells whether a grid can represent a wave.
bool fits(const GridShape& grid, const Miller& g);

/// Checks that the grid can represent all waves of the density. \throws Error(bad_argument) if it cannot
void expect_room_for_density(const OrbitalHeader& header);

}  // namespace seiche
