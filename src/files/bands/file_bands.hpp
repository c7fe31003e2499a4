// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// Collective. Returns the bands of a file as a source; the file must stay open.
BandSource bands_of(const WaveFile& file);

/// Collective. Passes all bands of a file (those of `source`) to `use` on all ranks, in the order of spin, k-point and
/// band; see stream_bands.
void each_band(
    const WaveFile& file, const BandSource& source,
    const std::function<void(const BandRange& some, std::span<const std::complex<double>> coefficients)>& use,
    const MoveOptions& options);

}  // namespace seiche
