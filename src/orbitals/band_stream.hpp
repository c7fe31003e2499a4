// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands that stream by in the order of spin, k-point and band: read or sent ahead, used once, never stored.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "orbitals/redistribution.hpp"

namespace seiche {

/// Where bands come from.
struct BandSource {
  /// Which ranks bring `band` of a spin and k-point: the band is in no holding but theirs.
  std::function<std::vector<Holding>(int spin, int k, int band)> holdings;
  /// Makes the end from which the tasks' bands come.
  std::function<std::unique_ptr<Endpoint>(const std::vector<MoveTask>& tasks)> endpoint;
  /// How many bands go together at most, each from other ranks: so many of a run are one task.
  int bands_together = 1;
  /// Collective. The plane waves of a k-point at positions `mine` of its order.
  std::function<std::vector<Miller>(int spin, int k, Range mine)> waves;
};

/// Consecutive bands of one spin and k-point.
struct BandRange {
  int spin = 0, k = 0;
  Range bands;
};

/// Which bands of a spin and k-point are wanted: runs of them, ascending.
using BandChoice = std::function<std::vector<Range>(int spin, int k)>;

/// Takes this rank's coefficients of some bands, [band][component][wave].
using UseBands = std::function<void(const BandRange& some, std::span<const std::complex<double>> coefficients)>;

/// The positions of the plane waves of k-point `k` that this rank gets of each band: an equal part.
Range streamed_waves(const OrbitalHeader& header, int k, const Communicator& comm);

/// Collective. Calls `use` on all ranks for the same bands in the same order, so that it may be collective itself;
/// further bands are read and sent meanwhile. What goes wrong on one rank is thrown on all, as deliver() does.
void stream_bands(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const UseBands& use, const MoveOptions& options);

}  // namespace seiche
