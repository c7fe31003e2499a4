// SPDX-License-Identifier: BSD-3-Clause
/// \file  The order in which VASP, ABINIT and CASTEP list waves.
#pragma once

#include <span>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// x fastest, then y, then z; each axis 0, 1, ... n, -n, ... -1, as along a grid.
std::vector<Miller> x_fastest(std::span<const Miller> waves);

}  // namespace seiche
