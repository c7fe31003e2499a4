// SPDX-License-Identifier: BSD-3-Clause
/// \file  BerkeleyGW: WFN.h5, and the WFN and RHO of pw2bgw and older programs.
#pragma once

#include <string>
#include <vector>

#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_berkeleygw(const std::string& path);
WaveTable read_berkeleygw(const std::string& path);
WaveWriting writing_berkeleygw();

bool recognises_berkeleygw_binary(const std::string& path);
WaveTable read_berkeleygw_binary(const std::string& path);
/// Reads all but whether the bands have norm 1, which needs the bands; these may not be written yet.
WaveTable locate_berkeleygw_binary(const std::string& path);
WaveWriting writing_berkeleygw_binary();
/// \throws Error(bad_argument) for spinors
std::vector<std::string> losses_in_binary_wfn(const OrbitalHeader& header);

/// The density in a RHO: electrons of each spin, per cell.
struct BerkeleyGwDensity {
  Crystal crystal;
  GridShape grid;
  double cutoff = 0;  ///< hartree
  ChargeDensityTable table;
};
bool recognises_berkeleygw_density(const std::string& path);
BerkeleyGwDensity read_berkeleygw_density(const std::string& path);
/// Whether the name is RHO or ends in .rho.
bool names_berkeleygw_density(const std::string& path);
/// Creates a RHO of full spheres with space for `components` (1 or 2) of `table.count` waves, and sets their positions.
void make_berkeleygw_density(const std::string& path, const Crystal& crystal, const GridShape& grid, double cutoff,
                             std::size_t components, ChargeDensityTable& table);

/// int32 [spin][k][band][2]: XXH3 (64 bits, little-endian) of each band's coefficients; only in files of Seiche.
inline constexpr const char* berkeleygw_checksums = "seiche/xxh3_64";

/// The group of Seiche, which other programs ignore.
inline constexpr const char* berkeleygw_own = "seiche";

}  // namespace seiche
