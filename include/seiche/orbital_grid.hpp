// SPDX-License-Identifier: BSD-3-Clause
/// \file  Single orbitals on the grid, for visualization.
#pragma once

#include <functional>
#include <string>

#include "seiche/band_edges.hpp"
#include "seiche/density.hpp"
#include "seiche/selection.hpp"

namespace seiche {

class WaveFile;

/// Quantity of an orbital psi(r) = exp(i k.r) sum_G c(G) exp(i G.r) / sqrt(volume). The unit of |psi|^2 is bohr^-3.
/// Real part, imaginary part and magnitude are in bohr^-3/2, the phase in radians (-pi to pi).
enum class OrbitalQuantity { density, real, imaginary, magnitude, phase };

/// Options for single orbitals on the grid. The arbitrary phase of an orbital is chosen so that the integral of psi^2
/// over the cell is real and positive. Functions that can be real become real. If that integral is negligible, psi is
/// made real and positive at its maximum. The remaining sign is chosen so that the real part is positive at its maximum
/// (the first one in x-fastest order if there are several).
struct OrbitalGridOptions {
  OrbitalQuantity quantity = OrbitalQuantity::density;  ///< quantity to compute
  int component = 0;                                    ///< of spinors: 1 up, 2 down; 0: both, with added densities
  bool periodic = false;                                ///< periodic part only, without exp(i k.r)
  FftOptions fft{.reproducible = true};                 ///< options of the transforms
  Policy policy{};                                      ///< communication of bands, as in MoveOptions
  std::function<void(double done)> on_progress{};       ///< called on every rank with the completed fraction, 0 to 1
};

/// Callback that receives an orbital as a Density with one component. All ranks call it in the order of spin, k-point
/// and band. It may call collective functions.
using UseOrbital = std::function<void(const BandState& state, const Density& values)>;

/// Collective. Computes the selected bands of a file on the grid of its header and calls `use` for each. Bands are read
/// ahead. Results are bitwise identical on any number of ranks.
/// \throws Error for states that the file does not have. For spinors, all quantities except `density` need a component
void each_orbital(const WaveFile& file, const Selection& selection, const OrbitalGridOptions& options,
                  const UseOrbital& use);

}  // namespace seiche
