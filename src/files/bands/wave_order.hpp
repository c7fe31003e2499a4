// SPDX-License-Identifier: BSD-3-Clause
/// \file  The order of waves in files of VASP, ABINIT and CASTEP.
#pragma once

#include <span>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// Sorts with x fastest, then y, then z; each axis in the order 0, 1, ... n, -n, ... -1, as on a grid.
std::vector<Miller> x_fastest(std::span<const Miller> waves);

}  // namespace seiche
