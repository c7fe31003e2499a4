// SPDX-License-Identifier: BSD-3-Clause
/// \file  Quantum ESPRESSO: data-file-schema.xml with wfcN.dat or wfcN.hdf5, and charge-density.dat or .hdf5.
#pragma once

#include <string>
#include <vector>

#include "containers/archive.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_quantum_espresso(const std::string& path);
WaveTable read_quantum_espresso(const std::string& path);
/// Reads data-file-schema.xml; the wavefunctions may be absent.
OrbitalHeader read_quantum_espresso_schema(const std::string& xml);
WaveWriting writing_quantum_espresso_dat();
WaveWriting writing_quantum_espresso_hdf5();

/// Sorts by length, then x, y, z (z fastest), for reciprocal vectors `b` (rows, bohr^-1): the order that Quantum
/// ESPRESSO assumes for any file. Lengths that differ by less than 1e-8 of its unit count as equal.
std::vector<Miller> in_quantum_espresso_order(const std::array<Vector3, 3>& b, std::vector<Miller> waves);

/// Returns the path of STEM.dat or STEM.hdf5; "" if neither exists. \throws Error if both exist
std::string dat_or_hdf5(const std::string& stem);

/// Checks one file of wavefunctions against the header from the XML, and returns the positions of its numbers.
WaveBlock locate_wavefunctions(const std::string& path, const OrbitalHeader& header, const KPoint& kpoint);

/// The header of a charge-density file of Quantum ESPRESSO or BerkeleyGW, and the positions of its waves and
/// components.
struct ChargeDensityTable {
  bool half_sphere = false;
  std::array<Vector3, 3> reciprocal{};  ///< bohr^-1
  std::int64_t count = 0;               ///< waves
  Extent waves;                         ///< int32 triples
  std::vector<Extent> components;       ///< complex numbers: total, then magnetisation
  double scale = 1;                     ///< of values, to electrons per bohr^3
  bool real = false;                    ///< one number each, as for coefficients of crystals with inversion
  bool spins = false;                   ///< the components are spin up and down, not total and m_z
};

inline void describe(Archive& archive, ChargeDensityTable& t) {
  archive(t.half_sphere, t.reciprocal, t.count, t.waves, t.components, t.scale, t.real, t.spins);
}

/// Returns the charge-density file that `path` names, or that is in the .save folder `path`; "" otherwise.
std::string find_charge_density(const std::string& path);
ChargeDensityTable locate_charge_density(const std::string& path);

}  // namespace seiche
