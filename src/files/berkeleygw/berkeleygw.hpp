// SPDX-License-Identifier: BSD-3-Clause
/// \file  BerkeleyGW: WFN.h5.
#pragma once

#include <string>

#include "files/format.hpp"

namespace seiche {

bool recognises_berkeleygw(const std::string& path);
WaveTable read_berkeleygw(const std::string& path);
WaveWriting writing_berkeleygw();

/// int32 [spin][k][band][2]: XXH3 (64 bits, little-endian) of each band's coefficients; only in files written here.
inline constexpr const char* berkeleygw_checksums = "seiche/xxh3_64";

/// A group of our own, beside BerkeleyGW's; others pass over it.
inline constexpr const char* berkeleygw_own = "seiche";

}  // namespace seiche
