// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory, spread over k-points x bands x plane waves.
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
#include "seiche/tuning.hpp"

namespace seiche {

/// Ranks arranged as kpoints x bands x waves groups: rank = (k group x bands + band group) x waves + wave group. Each
/// axis is split by block(); both spins of a k-point go together.
struct OrbitalGrid {
  int kpoints = 1, bands = 1, waves = 1;
  int ranks() const noexcept { return kpoints * bands * waves; }
};

/// For all waves of k-point `k`, in its order: which of the grid's wave groups, 0 .. waves - 1, holds each. It must
/// give the same answer on every rank.
using PlaneWaveOwners = std::function<std::vector<int>(int k, std::span<const Miller> waves)>;

/// Where wavefunctions should be.
struct OrbitalLayout {
  OrbitalGrid grid;
  PlaneWaveOwners owners = nullptr;  ///< none: nearly equal parts in a row, by block()
};

/// What one rank holds of one spin and k-point.
struct OrbitalPart {
  int spin = 0, k = 0;
  Range bands;
  std::vector<Range> positions;                    ///< of its waves in the k-point's order: runs, ascending
  std::vector<Miller> waves;                       ///< at these positions, in this order
  std::vector<std::complex<double>> coefficients;  ///< [band][component][wave]
};

/// Wavefunctions spread over the ranks of a communicator. What lies where is what the parts say: together they hold
/// each coefficient once. A rank may hold none; parts are in the order of spin, then k.
/// For one thread at a time: see communicator.hpp.
struct Orbitals {
  Communicator comm;
  OrbitalHeader header;
  std::vector<OrbitalPart> parts;
};

/// How coefficients travel between ranks, and between ranks and files.
struct MoveOptions {
  Policy policy{};  ///< its window: rounds of bands in flight, each with memory at both ends; 0: 7 of up to 4 MB
  std::function<void(double done)> on_progress{};  ///< called on every rank with the fraction done, 0 to 1
  /// Of convert() alone: the density beside the waves goes along. Its grid is shared out over the ranks, whatever
  /// the policy says.
  bool density = false;
};

/// Collective. Orbitals of zeros in a layout, for codes that begin with their own: `waves` are all those of each
/// k-point of the header, in the order that positions count. \throws Error when the grid does not have as many ranks as
/// the communicator, or the header other numbers of plane waves
Orbitals make_orbitals(const Communicator& comm, const OrbitalHeader& header,
                       const std::vector<std::vector<Miller>>& waves, const OrbitalLayout& layout);

/// Collective. The same wavefunctions in another layout. \throws Error when the grid does not have as many ranks as the
/// communicator, or when the parts do not hold each coefficient once
Orbitals redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options = {});
/// Collective. The same; what stays on its rank is taken over without a copy.
Orbitals redistribute(Orbitals&& orbitals, const OrbitalLayout& layout, const MoveOptions& options = {});

/// Collective. Redistributes the orbitals again and again, with all algorithms, windows and memories up to the usual
/// one that these ranks can use, and writes what won to the tuning file (docs/tuning.md). redistribute() of orbitals of
/// such a size whose algorithm is `automatic` uses it from then on. \throws Error(unwritable) when the file cannot be
/// written
TuneReport<MoveOptions> tune_move(const Orbitals& orbitals, const OrbitalLayout& layout,
                                  const TuneRequest& request = {});

}  // namespace seiche
