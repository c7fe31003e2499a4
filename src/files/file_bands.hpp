// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "orbitals/band_stream.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// Collective. The bands of a file, to be streamed while it is open.
BandSource bands_of(const WaveFile& file);

}  // namespace seiche
