// SPDX-License-Identifier: BSD-3-Clause
/// \file  Quantum ESPRESSO: data-file-schema.xml with wfcN.dat or wfcN.hdf5, and charge-density.dat or .hdf5.
#pragma once

#include <string>
#include <vector>

#include "files/containers/archive.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_quantum_espresso(const std::string& path);
WaveTable read_quantum_espresso(const std::string& path);
/// What data-file-schema.xml says, whether or not the wavefunctions are there.
OrbitalHeader read_quantum_espresso_schema(const std::string& xml);
WaveWriting writing_quantum_espresso_dat();
WaveWriting writing_quantum_espresso_hdf5();

/// By length, then x, y, z (z fastest), for reciprocal vectors `b` (rows, bohr^-1): the order in which Quantum ESPRESSO
/// takes waves to be, whatever a file says. Lengths that differ by less than 1e-8 of its unit count as equal.
std::vector<Miller> in_quantum_espresso_order(const std::array<Vector3, 3>& b, std::vector<Miller> waves);

/// Checks one file of wavefunctions against the header, which the XML gave, and says where its numbers lie.
WaveBlock locate_wavefunctions(const std::string& path, const OrbitalHeader& header, const KPoint& kpoint);

/// What a charge-density file says, of Quantum ESPRESSO or, alike, of BerkeleyGW, and where its waves and components
/// lie.
struct ChargeDensityTable {
  bool half_sphere = false;
  std::array<Vector3, 3> reciprocal{};  ///< bohr^-1
  std::int64_t count = 0;               ///< waves
  Extent waves;                         ///< int32 triples
  std::vector<Extent> components;       ///< complex numbers: total, then magnetisation
  double scale = 1;                     ///< of values, to electrons per bohr^3
  bool real = false;                    ///< one number each, as coefficients of crystals with inversion are
  bool spins = false;                   ///< the components are spin up and down, not total and m_z
};

inline void describe(Archive& archive, ChargeDensityTable& t) {
  archive(t.half_sphere, t.reciprocal, t.count, t.waves, t.components, t.scale, t.real, t.spins);
}

/// The charge-density file that `path` names, or that lies in the .save directory `path`; "" when it is neither.
std::string find_charge_density(const std::string& path);
ChargeDensityTable locate_charge_density(const std::string& path);

}  // namespace seiche
