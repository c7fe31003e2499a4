// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density of states that stream by: each band is read or sent, transformed and added, none is stored.
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Collective. Sum over spins, k-points and bands, in this order, of weight x occupation x |psi(r)|^2 on the header's
/// grid: neither cut off nor symmetrised. \throws Error(bad_file) when all bands are empty
Density sum_of_states(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                      const DensityOptions& options);

/// Collective. The density of states: their sum, cut off at the density's own sphere of waves and symmetrised.
/// \throws Error unless the header lets bands make a density, and unless it has the header's electrons
Density density_of_states(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                          const DensityOptions& options);

}  // namespace seiche
