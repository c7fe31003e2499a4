// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP: WAVECAR, in all its kinds (standard, gamma only, non-collinear; single and double precision).
#pragma once

#include <string>
#include <vector>

#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_vasp(const std::string& path);
WaveTable read_vasp(const std::string& path);
WaveWriting writing_vasp();

/// The file has no waves: they are those below the cut-off, x fastest, each axis 0, 1, ... n, -n, ... -1. Half spheres
/// have those of `table.half`.
std::vector<Miller> generate_vasp(const WaveTable& table, int k);

}  // namespace seiche
