// SPDX-License-Identifier: BSD-3-Clause
/// \file  From the decomposition that is asked for to ranks on the grid: z is the slow axis, y the fast one.
#pragma once

#include <array>

#include "layout/process_grid.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// All but `automatic`.
inline constexpr std::array all_decompositions{Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz};

/// For `automatic`: slabs for at most `planes` ranks. Pencils that ranks or points are too few for are slabs as well.
ProcessGrid arranged(int ranks, const GridShape& shape, Decomposition wanted, std::int64_t planes);

/// What an arrangement is.
Decomposition decomposition_of(const ProcessGrid& grid);

}  // namespace seiche
