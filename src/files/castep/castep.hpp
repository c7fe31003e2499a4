// SPDX-License-Identifier: BSD-3-Clause
/// \file  CASTEP: .check, the wavefunctions and the density in it.
#pragma once

#include <string>

#include "files/containers/fortran.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_castep(const std::string& path);
WaveTable read_castep(const std::string& path);
WaveWriting writing_castep();

/// CASTEP's meshes of even numbers leave k = 0 out; its offset is in units of the reciprocal vectors, ours (and most
/// codes') is in steps of the mesh from k = 0.
constexpr double castep_offset(int points, double shift) {
  return points > 0 ? (shift - (points % 2 == 0 ? 0.5 : 0)) / points : 0;
}
constexpr double shift_of_castep(int points, double offset) { return offset * points + (points % 2 == 0 ? 0.5 : 0); }

/// The density of a .check: one record for each line along z.
struct CastepDensity {
  GridShape grid;
  std::int64_t first_record = 0;  ///< byte at which the first record begins
  int components = 1;             ///< total; with spin the difference; with vectors three more
  bool big_endian = true;
};

/// All that a .check says, but the bands.
struct CastepFile {
  WaveTable table;
  CastepDensity density;  ///< without points where the file has none
};
CastepFile read_castep_file(const std::string& path);

}  // namespace seiche
