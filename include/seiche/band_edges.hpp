// SPDX-License-Identifier: BSD-3-Clause
/// \file  Band edges and gaps, from the energies and occupations in a header.
#pragma once

#include <optional>
#include <string>

#include "seiche/orbital_header.hpp"

namespace seiche {

inline constexpr double hartree_in_electronvolt = 27.211386245988;  ///< CODATA 2018

/// One state of a set: its indices in the header (from 0) and its energy.
struct BandState {
  int spin = 0, k = 0, band = 0;
  double energy = 0;  ///< hartree
};

/// Band edges of a set. A state counts as occupied if its occupation exceeds half of the maximum. Energies within 1e-6
/// hartree count as equal. Of several k-points with equal edges, the first one is reported.
struct BandEdges {
  std::optional<BandState> highest_occupied, lowest_empty;  ///< none if the set has no such state
  std::optional<BandState> direct_occupied, direct_empty;   ///< edges of the direct gap: same spin and k-point
  /// Whether bands cross the Fermi level. Then the number of occupied states differs between k-points of one spin, or
  /// an empty state is not above all occupied ones.
  bool metallic = false;

  std::optional<double> gap() const;         ///< Fundamental gap, hartree; 0 in a metal, none if an edge is missing
  std::optional<double> direct_gap() const;  ///< Smallest direct gap, hartree; 0 in a metal, none if an edge is missing
};

/// Local. Finds the band edges of one spin, or of all spins.
/// \throws Error(bad_argument) for a spin that the header does not have
BandEdges band_edges(const OrbitalHeader& header, std::optional<int> spin = std::nullopt);

/// Reference point for relative energies.
struct EnergyZero {
  double energy = 0;  ///< hartree
  std::string name;   ///< description for output, e.g. "the Fermi level"
};

/// Local. Returns the reference of one spin, or of all spins. It is the Fermi level for a metal whose header has one.
/// Otherwise it is the highest occupied state, also of all spins if they have different Fermi levels.
/// \throws Error(bad_argument) if no state is occupied
EnergyZero energy_zero(const OrbitalHeader& header, std::optional<int> spin = std::nullopt);

}  // namespace seiche
