// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of the process grid for a decomposition. z is the slow axis, y the fast one.
#pragma once

#include <array>

#include "layout/process_grid.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// All decompositions except `automatic`.
inline constexpr std::array all_decompositions{Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz};

/// Returns the process grid. `automatic` selects slabs for at most `planes` ranks. Pencils become slabs if there are
/// too few ranks or points.
ProcessGrid arranged(int ranks, const GridShape& shape, Decomposition wanted, std::int64_t planes);

/// Returns the decomposition of a process grid.
Decomposition decomposition_of(const ProcessGrid& grid);

}  // namespace seiche
