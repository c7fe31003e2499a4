// SPDX-License-Identifier: BSD-3-Clause
/// \file  What energies and occupations say of a set of bands: where occupied bands end and empty ones begin.
#pragma once

#include <optional>
#include <string>

#include "seiche/orbital_header.hpp"

namespace seiche {

inline constexpr double hartree_in_electronvolt = 27.211386245988;  ///< CODATA 2018

/// One state of a set: its place in the header, from 0, and its energy (hartree).
struct BandState {
  int spin = 0, k = 0, band = 0;
  double energy = 0;
};

/// Edges of the gap. A state is occupied that holds more than half of what it can. Of k-points whose edges are at the
/// same energy, within 1e-6 hartree, the first is named.
struct BandEdges {
  std::optional<BandState> highest_occupied, lowest_empty;  ///< none: the file has no such state
  /// Those of the same spin and k-point that are closest: of the direct gap.
  std::optional<BandState> direct_occupied, direct_empty;
  /// Bands cross the Fermi level: k-points of one spin differ in how many of their states are occupied, or an empty
  /// state lies below an occupied one.
  bool metallic = false;

  std::optional<double> gap() const;         ///< 0 in a metal; none where occupied or empty states are missing
  std::optional<double> direct_gap() const;  ///< the least over k-points and spins; the same
};

/// Local. Of all spins, or of one. \throws Error(bad_argument) for a spin that the header does not have
BandEdges band_edges(const OrbitalHeader& header, std::optional<int> spin = std::nullopt);

/// What energies are told from.
struct EnergyZero {
  double energy = 0;  ///< hartree
  std::string name;   ///< in words
};
/// Local. The Fermi level of metals, where the header says it; else the highest occupied state. \throws
/// Error(bad_argument) where no state is occupied
EnergyZero energy_zero(const OrbitalHeader& header);

}  // namespace seiche
