// SPDX-License-Identifier: BSD-3-Clause
/// \file  CASTEP: .check, the wavefunctions and the density in it.
#pragma once

#include <string>

#include "files/containers/fortran.hpp"
#include "files/format.hpp"

namespace seiche {

bool recognises_castep(const std::string& path);
WaveTable read_castep(const std::string& path);
WaveWriting writing_castep();

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
