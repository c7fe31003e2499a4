// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of states.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Selected bands, k-points and spins: ascending indices from 0. An empty list selects all.
struct Selection {
  std::vector<int> bands, kpoints, spins;
};

/// Local. Returns the header of the selected states. Weights are normalized to the sum 1. If k-points are removed, the
/// mesh becomes unknown. One spin of two becomes a set without spins. The number of electrons does not change.
/// \throws Error(bad_argument) for an index out of range
/// \throws Error(unsupported) for one spin of two if symmetry operations that exchange spins reduced the k-points
OrbitalHeader selected(const OrbitalHeader& header, const Selection& selection);

/// Local. Returns sentences that describe the removed states: occupied bands and their electrons, k-points, and a spin.
std::vector<std::string> left_out(const OrbitalHeader& header, const Selection& selection);

/// Choice of states for a partial density.
struct StateChoice {
  Selection of;                           ///< bands, k-points and spins
  std::optional<double> lowest, highest;  ///< range of energies, hartree, both included; not set: no limit
};

/// Local. Returns occupations [spin][k][band]: 1 for chosen states, 0 for others. If all chosen k-points have weight 0,
/// density_of() gives them equal weights.
/// \throws Error(bad_argument) if no state is chosen
std::vector<double> filled(const OrbitalHeader& header, const StateChoice& choice);

}  // namespace seiche
