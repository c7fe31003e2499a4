// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density of states that stream by: each band is read or sent, transformed and added, none is stored.
#pragma once

#include <functional>
#include <vector>

#include "orbitals/redistribution.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Where the states of a density come from.
struct StateSource {
  /// Which ranks bring `band` of a spin and k-point: the band is in no holding but theirs.
  std::function<std::vector<Holding>(int spin, int k, int band)> holdings;
  /// Makes the end from which the tasks' bands come.
  std::function<std::unique_ptr<Endpoint>(const std::vector<MoveTask>& tasks)> endpoint;
  /// How many bands go together at most, each from other ranks: of band b, those up to the next multiple of this are
  /// one task.
  int bands_together = 1;
  /// Collective. The plane waves of a k-point at positions `mine` of its order.
  std::function<std::vector<Miller>(int spin, int k, Range mine)> waves;
};

/// Collective. Sum over spins, k-points and bands, in this order, of weight x occupation x |psi(r)|^2 on the header's
/// grid: neither cut off nor symmetrised. \throws Error(bad_file) when all bands are empty
Density sum_of_states(const Communicator& comm, const OrbitalHeader& header, const StateSource& source,
                      const DensityOptions& options);

/// Collective. The density of states: their sum, cut off at the density's own sphere of waves and symmetrised.
/// \throws Error unless the header lets bands make a density, and unless it has the header's electrons
Density density_of_states(const Communicator& comm, const OrbitalHeader& header, const StateSource& source,
                          const DensityOptions& options);

}  // namespace seiche
