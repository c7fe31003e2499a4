// SPDX-License-Identifier: BSD-3-Clause
/// \file  Check of grid shapes.
#pragma once

#include "seiche/layout.hpp"

namespace seiche {

/// Checks a grid: each dimension is positive and below 2^31, and the number of points is below 2^53. Then products of
/// the dimensions, and sizes of values in bytes, do not overflow. \throws Error otherwise
void require_sound(const GridShape& shape);

}  // namespace seiche
