// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory, distributed over k-points, bands and plane waves, and their redistribution.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "seiche/layout.hpp"
#include "seiche/orbital_header.hpp"
#include "seiche/pending.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// Process grid of kpoints x bands x waves groups: rank = (k group * bands + band group) * waves + wave group. Each
/// axis is split by block(). Both spins of a k-point are in the same group.
struct OrbitalGrid {
  int kpoints = 1, bands = 1, waves = 1;                          ///< number of groups along each axis
  int ranks() const noexcept { return kpoints * bands * waves; }  ///< Number of ranks.
};

/// Callback that returns the wave group (0 to OrbitalGrid::waves - 1) of each wave of k-point `k`. It must return the
/// same result on every rank.
using PlaneWaveOwners = std::function<std::vector<int>(int k, std::span<const Miller> waves)>;

/// Requested distribution of wavefunctions.
struct OrbitalLayout {
  OrbitalGrid grid;                  ///< process grid
  PlaneWaveOwners owners = nullptr;  ///< none: consecutive parts of nearly equal size, by block()
};

/// Part of one spin and k-point on one rank.
struct OrbitalPart {
  int spin = 0, k = 0;                             ///< indices in the header
  Range bands;                                     ///< bands of the part
  std::vector<Range> positions;                    ///< positions of the waves in the k-point's order, ascending ranges
  std::vector<Miller> waves;                       ///< waves at these positions
  std::vector<std::complex<double>> coefficients;  ///< [band][component][wave]
};

/// Wavefunctions distributed over the ranks of a communicator. Each coefficient is held by exactly one part. A rank may
/// have no part. Parts are ordered by spin, then k. One thread at a time may use them (see communicator.hpp).
struct Orbitals {
  Communicator comm;               ///< communicator of the ranks
  OrbitalHeader header;            ///< metadata, equal on all ranks
  std::vector<OrbitalPart> parts;  ///< parts on this rank
};

/// Options of redistribution between ranks, and between ranks and files.
struct MoveOptions {
  /// `policy.window`: number of rounds of bands in flight (0: 7). A round has up to 1 MB between memory, and up to 4 MB
  /// to or from files. `policy.memory`: upper limit of the memory for source and target of all rounds in flight (0:
  /// about 64 MB).
  Policy policy{};
  std::function<void(double done)> on_progress{};  ///< called on every rank with the completed fraction, 0 to 1
  /// Copy the density that is stored with the wavefunctions, too (convert() only). The memory limit does not include
  /// it.
  bool density = false;
};

/// Collective. Creates orbitals with coefficients of zero in a layout. `waves` has all waves of each k-point of the
/// header, equal on all ranks; positions count in this order.
/// \throws Error if the layout does not fit the number of ranks, or `waves` does not fit the header
Orbitals make_orbitals(const Communicator& comm, const OrbitalHeader& header,
                       const std::vector<std::vector<Miller>>& waves, const OrbitalLayout& layout);

/// Collective. Returns the same wavefunctions in another layout.
/// \throws Error if the layout does not fit the number of ranks, or the parts do not contain each coefficient once
Orbitals redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options = {});
/// Collective. Same, but data that stays on its rank is moved without a copy.
Orbitals redistribute(Orbitals&& orbitals, const OrbitalLayout& layout, const MoveOptions& options = {});
/// Collective. Starts a redistribution (see pending.hpp). finish() writes the orbitals to `result`, and throws the same
/// errors as redistribute(). Both objects must outlive the call.
[[nodiscard]] Pending start_redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, Orbitals& result,
                                         const MoveOptions& options = {});

/// Collective. Times the redistribution with different algorithms, windows and memory limits and writes the fastest to
/// the tuning file. Calls of redistribute() with `automatic` algorithm and orbitals of similar size use it.
/// \throws Error(unwritable) if the file cannot be written
TuneReport<MoveOptions> tune_move(const Orbitals& orbitals, const OrbitalLayout& layout,
                                  const TuneRequest& request = {});

}  // namespace seiche
