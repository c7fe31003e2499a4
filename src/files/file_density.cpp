// SPDX-License-Identifier: BSD-3-Clause
/// \file  The density of a wavefunction file.
#include "density/state_sum.hpp"
#include "files/file_bands.hpp"
#include "files/wavefile_body.hpp"

namespace seiche {

Density density_of(const WaveFile& file, const DensityOptions& options) {
  return density_of_states(file.body().comm, file.header(), bands_of(file), options);
}

}  // namespace seiche
