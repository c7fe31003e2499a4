// SPDX-License-Identifier: BSD-3-Clause
/// \file  Streams bands in the order of spin, k-point and band. Bands are read and sent ahead, used once, and not
/// stored.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "orbitals/redistribution.hpp"

namespace seiche {

/// The source of streamed bands.
struct BandSource {
  /// Returns each rank's holding of `band`. It is empty on ranks that do not provide the band.
  std::function<std::vector<Holding>(int spin, int k, int band)> holdings;
  /// Creates the endpoint that provides the bands of the tasks.
  std::function<std::unique_ptr<Endpoint>(const std::vector<MoveTask>& tasks)> endpoint;
  /// Largest number of consecutive bands in one task. Each of them comes from different ranks.
  int bands_together = 1;
  /// Collective. Returns the plane waves at positions `mine` of a k-point.
  std::function<std::vector<Miller>(int spin, int k, Range mine)> waves;
};

/// Consecutive bands of one spin and k-point.
struct BandRange {
  int spin = 0, k = 0;
  Range bands;
};

/// Returns the chosen bands of a spin and k-point as ascending ranges.
using BandChoice = std::function<std::vector<Range>(int spin, int k)>;

/// Receives this rank's coefficients of some bands, [band][component][wave].
using UseBands = std::function<void(const BandRange& some, std::span<const std::complex<double>> coefficients)>;

/// Returns the positions of the plane waves of k-point `k` that this rank receives. Each rank receives an equal part.
Range streamed_waves(const OrbitalHeader& header, int k, const Communicator& comm);

/// Collective. Calls `use` on all ranks for the same bands in the same order, so `use` may be collective. Further bands
/// are read and sent meanwhile. An error on one rank is thrown on all ranks, as in deliver().
void stream_bands(const Communicator& comm, const OrbitalHeader& header, const BandSource& source,
                  const BandChoice& wanted, const UseBands& use, const MoveOptions& options);

}  // namespace seiche
