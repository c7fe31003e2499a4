// SPDX-License-Identifier: BSD-3-Clause
/// \file  Symmetry operations on plane waves and orbitals, and expansion to the full Brillouin zone. An operation {R|t}
/// maps x to R x + t. Time reversal follows if it is set.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "seiche/crystal.hpp"
#include "seiche/layout.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

/// Image of the waves of one k-point under one operation. It is computed once and applied to all bands.
struct PlaneWaveImage {
  /// G' of each wave: k' + G' = R^-T (k + G), with the opposite sign for time reversal.
  std::vector<Miller> waves;
  std::vector<std::complex<double>> phases;  ///< exp(-2 pi i (k' + G').t) of each wave
  bool conjugate = false;                    ///< whether coefficients are conjugated (time reversal)
  /// Half spheres: waves for which -G' is stored, with the conjugate coefficient. Otherwise empty.
  std::vector<bool> opposite;
  std::array<std::array<std::complex<double>, 2>, 2> spin{{{1, 0}, {0, 1}}};  ///< matrix for spinors, else identity
};

/// Input of image_of().
struct ImageRequest {
  SymmetryOperation operation;  ///< operation to apply
  Vector3 from{}, to{};         ///< k-points of the waves and of their images, k and k', in units of b1, b2, b3
  int spinor = 1;               ///< components of one wavefunction
  bool half_sphere = false;     ///< one of each pair G, -G is given; of the images, the one that is in_half() is stored
};

/// Local. Computes the image of `waves`: any part of a sphere, in any order. The result has the same order.
/// \throws Error unless `to` is the image of `from` up to a reciprocal lattice vector
PlaneWaveImage image_of(const Crystal& crystal, const ImageRequest& request, std::span<const Miller> waves);

/// Local. Computes the coefficients of the images of `bands` bands. Both arrays have the shape [band][component][wave];
/// they may be the same.
void apply(const PlaneWaveImage& image, std::int64_t bands, std::span<const std::complex<double>> from,
           std::span<std::complex<double>> to);

/// Parent of the states of one spin and k-point, and the operation that maps them.
struct ParentState {
  int spin = 0, k = 0;          ///< indices in the original set
  SymmetryOperation operation;  ///< operation that maps the parent
};

/// A set of k-points that is generated from another set by symmetry.
struct KStarMap {
  OrbitalHeader header;                    ///< header of the generated set
  std::vector<ParentState> parent_states;  ///< [spin][k] of the generated set
};

/// Local. Returns the full Brillouin zone: all images of the k-points of `header` under `operations`. Time reversal is
/// added unless the states are spinors with magnetism. The k-points are in the order of a regular grid. Given k-points
/// stay unchanged. The weight of a star is divided equally. The identity is the only operation of the result.
/// \throws Error if the operations do not form a group on the k-points
KStarMap full_zone(const OrbitalHeader& header, const std::vector<SymmetryOperation>& operations);

/// Local. Returns the map of one operation that permutes the k-points.
/// \throws Error if the image of a k-point is not in the set
KStarMap moved(const OrbitalHeader& header, const SymmetryOperation& operation);

/// Collective. Returns the wavefunctions of `map.header`. The map must be of the header of `orbitals`. Each rank maps
/// its own parts; no coefficients are sent. Images of waves are in the order of the original waves.
/// \throws Error if the map does not fit the orbitals
Orbitals mapped(const Orbitals& orbitals, const KStarMap& map);

/// Collective. Symmetrizes bands under the operations that keep their k-point. Bands of a code are symmetric only to
/// the accuracy of its diagonalization. Therefore densities of an expanded zone deviate from the symmetrized density by
/// as much. Groups of bands (degenerate within 1e-5 hartree) are averaged over the operations and orthonormalized. A
/// group with missing bands stays unchanged. The result is distributed over plane waves only, and bitwise identical for
/// all layouts of the input.
/// \throws Error if the operations are not symmetries of the bands, or bands are not norm-conserving
Orbitals symmetric_bands(const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations,
                         const MoveOptions& options = {});

}  // namespace seiche
