// SPDX-License-Identifier: BSD-3-Clause
/// \file  Orbitals on the grid, from a stream of bands.
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/orbital_grid.hpp"

namespace seiche {

/// Collective. Calls `use` for each band that `wanted` selects, on the grid of `header`. Bands come from any source.
void each_orbital(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const OrbitalGridOptions& options, const UseOrbital& use);

}  // namespace seiche
