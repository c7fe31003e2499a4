// SPDX-License-Identifier: BSD-3-Clause
/// \file  WAVECAR of VASP in all variants (standard, gamma only, noncollinear; single and double precision).
#pragma once

#include <string>
#include <vector>

#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_vasp(const std::string& path);
WaveTable read_vasp(const std::string& path);
WaveWriting writing_vasp();

/// Returns the waves, which the file does not contain: all below the cutoff, x fastest, each axis in the order 0, 1,
/// ... n, -n, ... -1. Half spheres follow `table.half`.
std::vector<Miller> generate_vasp(const WaveTable& table, int k);

}  // namespace seiche
