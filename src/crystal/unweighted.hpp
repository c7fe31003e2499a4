// SPDX-License-Identifier: BSD-3-Clause
/// \file  Occupations of k-points of weight 0, for example of a path in addition to a mesh.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Derives the occupations of k-points of weight 0 if all of them are 0, as in files of Quantum ESPRESSO. If the
/// weighted k-points have a gap, the same number of bands is occupied for each spin. Otherwise the states up to the
/// Fermi level are occupied.
void derive_unweighted_occupations(OrbitalHeader& header);

/// Assigns equal weights to the k-points with occupied states if all of these have weight 0.
void weigh_occupied_kpoints(OrbitalHeader& header);

}  // namespace seiche
