// SPDX-License-Identifier: BSD-3-Clause
/// \file  Occupations of k-points with weight 0, e.g. on a path for band structures.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Derives the occupations of k-points with weight 0 and only zero occupations, as Quantum ESPRESSO writes them. If the
/// weighted k-points have a gap, the same number of bands is occupied for each spin. Otherwise, states up to the Fermi
/// level are occupied.
void derive_unweighted_occupations(OrbitalHeader& header);

/// Sets equal weights for k-points with occupied states if all of them have weight 0.
void weigh_occupied_kpoints(OrbitalHeader& header);

}  // namespace seiche
