// SPDX-License-Identifier: BSD-3-Clause
/// \file  Some of the states of a set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Bands, k-points and spins, counted from 0, ascending; none: all.
struct Selection {
  std::vector<int> bands, kpoints, spins;
};

/// Local. What a header says when only these are left: weights again sum to 1, the mesh of k-points is not known where
/// some go, and of one spin of two is made a set without spins. The number of electrons stays that of the crystal.
/// \throws Error(bad_argument) for what the header does not have, Error(unsupported) for one spin of a set without the
/// k-points that its symmetry makes by exchanging spins
OrbitalHeader selected(const OrbitalHeader& header, const Selection& selection);

/// Local. What goes when only these are left, in sentences: occupied bands and their electrons, k-points, a spin.
std::vector<std::string> left_out(const OrbitalHeader& header, const Selection& selection);

/// States by what they are, of which partial densities are made.
struct StateChoice {
  Selection of;
  std::optional<double> lowest, highest;  ///< energies, hartree, both included
};

/// Local. Occupations [spin][k][band] that are 1 for the chosen states and 0 for others. Where all chosen k-points have
/// weight 0, density_of() weighs them alike. \throws Error(bad_argument) when no state is among them
std::vector<double> filled(const OrbitalHeader& header, const StateChoice& choice);

}  // namespace seiche
