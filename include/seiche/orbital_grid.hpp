// SPDX-License-Identifier: BSD-3-Clause
/// \file  Single orbitals on the grid: what one looks at.
#pragma once

#include <functional>
#include <string>

#include "seiche/band_edges.hpp"
#include "seiche/density.hpp"
#include "seiche/selection.hpp"

namespace seiche {

class WaveFile;

/// What of psi(r) = exp(i k.r) sum_G c(G) exp(i G.r) / sqrt(volume) is wanted at each point of the cell, 0 <= r < 1 in
/// units of the lattice: |psi|^2, its parts (bohr^-3/2), or its phase (radians, -pi to pi).
enum class OrbitalQuantity { density, real, imaginary, magnitude, phase };

/// How orbitals are put on the grid. Their phase, which no calculation fixes, is such that the integral of psi^2 over
/// the cell is real and positive, which makes functions real that can be; where that integral is next to nothing, such
/// that psi is real and positive where it is largest. Of the sign that is left, the real part is positive where it is
/// largest. Of several such points the first counts, x fastest.
struct OrbitalGridOptions {
  OrbitalQuantity quantity = OrbitalQuantity::density;
  int component = 0;      ///< of spinors: 1 up, 2 down, 0 both, whose densities are added
  bool periodic = false;  ///< without exp(i k.r)
  FftOptions fft{.reproducible = true};
  Policy policy{};                                 ///< of bands on their way, as in MoveOptions
  std::function<void(double done)> on_progress{};  ///< called on every rank with the fraction done, 0 to 1
};

/// Takes an orbital's values, one component of a Density; called on all ranks in the order of spin, k-point and band,
/// and may be collective.
using UseOrbital = std::function<void(const BandState& state, const Density& values)>;

/// Collective. Puts the selected bands of a file on its header's grid, one after another, while others are read; the
/// same to the last bit on any number of ranks. \throws Error for what the file does not have, and for parts of spinors
/// without a component
void each_orbital(const WaveFile& file, const Selection& selection, const OrbitalGridOptions& options,
                  const UseOrbital& use);

}  // namespace seiche
