// SPDX-License-Identifier: BSD-3-Clause
/// \file  Orbitals that stream by, put on the grid.
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/orbital_grid.hpp"

namespace seiche {

/// Collective. The bands wanted of `header`, from any source.
void each_orbital(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const OrbitalGridOptions& options, const UseOrbital& use);

}  // namespace seiche
