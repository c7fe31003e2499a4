// SPDX-License-Identifier: BSD-3-Clause
/// \file  CASTEP: .check, with its wavefunctions and density, and the density of .castep_bin.
#pragma once

#include <string>

#include "containers/fortran.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_castep(const std::string& path);
/// Whether it is a .castep_bin: energies and the density, without waves.
bool recognises_castep_binary(const std::string& path);
WaveTable read_castep(const std::string& path);
WaveWriting writing_castep();

/// Converts the offset of a mesh. Meshes of CASTEP with even numbers exclude k = 0; its offset is in units of the
/// reciprocal vectors, ours (as in most codes) in steps of the mesh from k = 0.
constexpr double castep_offset(int points, double shift) {
  return points > 0 ? (shift - (points % 2 == 0 ? 0.5 : 0)) / points : 0;
}
constexpr double shift_of_castep(int points, double offset) { return offset * points + (points % 2 == 0 ? 0.5 : 0); }

/// The density of a .check: one record for each line along z.
struct CastepDensity {
  GridShape grid;
  std::int64_t first_record = 0;  ///< offset of the first record in bytes
  int components = 1;             ///< total; with spin the difference; for vectors three more
  bool big_endian = true;
};

/// The contents of a .check except the bands, or of a .castep_bin.
struct CastepFile {
  WaveTable table;        ///< without blocks if it is a .castep_bin
  CastepDensity density;  ///< without points if the file has none
};
CastepFile read_castep_file(const std::string& path);

}  // namespace seiche
