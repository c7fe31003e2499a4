// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density of a stream of bands. Each band is transformed and added, and none is stored.
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Collective. Returns the sum over spins, k-points and bands, in this order, of weight * occupation * |psi(r)|^2 on
/// the header's grid. It is neither truncated nor symmetrized. \throws Error(bad_file) if all bands are empty
Density sum_of_states(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                      const DensityOptions& options);

/// Collective. Returns sum_of_states(), truncated to the sphere of the density cutoff and symmetrized. \throws Error if
/// k-point weights are missing, or if bands are not sufficient for the density (see DensityOptions::as_they_are)
Density density_of_states(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                          const DensityOptions& options);

}  // namespace seiche
