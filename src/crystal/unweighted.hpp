// SPDX-License-Identifier: BSD-3-Clause
/// \file  Occupations of k-points of weight 0, such as those of a path beside a mesh.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Derives the occupations of k-points of weight 0 for which all of them are 0, as Quantum ESPRESSO writes them. Where
/// the weighted k-points have a gap, as many bands as theirs are occupied, for each spin. Else the states up to the
/// Fermi level are.
void derive_unweighted_occupations(OrbitalHeader& header);

/// Gives equal weights to the k-points that have occupied states, where all of these have weight 0.
void weigh_occupied_kpoints(OrbitalHeader& header);

}  // namespace seiche
