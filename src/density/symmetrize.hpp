// SPDX-License-Identifier: BSD-3-Clause
/// \file  Makes a density what its crystal says it is: cut off at its own sphere of waves, and symmetric.
#pragma once

#include "seiche/communicator.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Collective. Takes `density` to the sphere of waves within header.density_cutoff, averages it there over the
/// crystal's operations if the code did (header.averaged), and brings it back to its grid.
/// Every star of waves lies on one rank, so the average needs no communication.
void cut_and_symmetrize(const OrbitalHeader& header, Density& density, const FftOptions& options);

}  // namespace seiche
