// SPDX-License-Identifier: BSD-3-Clause
/// \file  BerkeleyGW: WFN.h5, and the WFN of pw2bgw and older programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "files/format.hpp"

namespace seiche {

bool recognises_berkeleygw(const std::string& path);
WaveTable read_berkeleygw(const std::string& path);
WaveWriting writing_berkeleygw();

bool recognises_berkeleygw_binary(const std::string& path);
WaveTable read_berkeleygw_binary(const std::string& path);

/// `mtrx` [operation][i][j] is R, and `tnp` is -2 pi R^-1 t of x' = R x + t: the translation of the operation that
/// undoes it.
std::vector<SymmetryOperation> operations_of_berkeleygw(std::span<const std::int32_t> rotations,
                                                        std::span<const double> translations);

/// int32 [spin][k][band][2]: XXH3 (64 bits, little-endian) of each band's coefficients; only in files written here.
inline constexpr const char* berkeleygw_checksums = "seiche/xxh3_64";

/// A group of our own, beside BerkeleyGW's; others pass over it.
inline constexpr const char* berkeleygw_own = "seiche";

}  // namespace seiche
