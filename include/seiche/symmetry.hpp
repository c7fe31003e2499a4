// SPDX-License-Identifier: BSD-3-Clause
/// \file  What symmetry operations do to plane waves and orbitals, and the full zone that they make of the irreducible
/// one. {R|t} takes x to R x + t, then time reversal follows where it is asked for
/// (docs/conventions.md).
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

/// Where the waves of one k-point go under one operation: found once, used for all bands.
struct PlaneWaveImage {
  std::vector<Miller> waves;                 ///< G' of each wave: k' + G' = R^-T (k + G), turned round by time reversal
  std::vector<std::complex<double>> phases;  ///< exp(-2 pi i (k' + G').t) of each wave
  bool conjugate = false;                    ///< the coefficients are conjugated: time reversal
  std::vector<bool> opposite;  ///< of half spheres, the waves whose -G' is kept, with the conjugate; else empty
  std::array<std::array<std::complex<double>, 2>, 2> spin{{{1, 0}, {0, 1}}};  ///< of spinors; the identity for others
};

/// What is to be mapped: the k-point of the waves, the listed one that their images are to belong to, and of what kind
/// the waves are.
struct ImageRequest {
  SymmetryOperation operation;
  Vector3 from{}, to{};      ///< k and k', in units of b1, b2, b3
  int spinor = 1;            ///< components of one wavefunction
  bool half_sphere = false;  ///< of each pair G, -G one is given, and one is kept: that in_half()
};

/// The image of `waves` (any part of a sphere, any order; results in the same order). \throws Error when `to` is not
/// the image of `from` up to a reciprocal lattice vector
PlaneWaveImage image_of(const Crystal& crystal, const ImageRequest& request, std::span<const Miller> waves);

/// The coefficients of the images of `bands` bands: both [band][component][wave]; `to` may be `from`.
void apply(const PlaneWaveImage& image, std::int64_t bands, std::span<const std::complex<double>> from,
           std::span<std::complex<double>> to);

/// From which states those of one spin and k-point come.
struct ParentState {
  int spin = 0, k = 0;  ///< of the set that there is
  SymmetryOperation operation;
};

/// A set of k-points made of another by symmetry.
struct KStarMap {
  OrbitalHeader header;                    ///< of the set that is made: k-points, weights, energies and occupations
  std::vector<ParentState> parent_states;  ///< [spin][k] of that set
};

/// The full zone: all images of the k-points of `header` under `operations` (and time reversal, where the states have
/// it: without magnetic order, and for waves that are no spinors), in the order of a regular grid, by the fractions of
/// x, y and z. A k-point of the set is kept as it is. The weight of a star is shared out evenly. Nothing is left to do
/// by symmetry: the header's only operation is the identity. \throws Error when the operations form no group on the
/// k-points
KStarMap full_zone(const OrbitalHeader& header, const std::vector<SymmetryOperation>& operations);

/// The same k-points after one operation: each gets the states of the one that the operation takes to it. \throws Error
/// when it takes one to where none is
KStarMap moved(const OrbitalHeader& header, const SymmetryOperation& operation);

/// Collective. The wavefunctions of `map.header`, made of `waves`, for whose header the map must be. Each rank maps
/// what it holds, whatever that is, and nothing is sent; redistribute() then spreads the result as it should be. The
/// waves of an image are in the order of the waves from which they come.
Orbitals mapped(const Orbitals& orbitals, const KStarMap& map);

/// Collective. Bands made symmetric under those operations that keep their own k-point. Codes give bands that are so to
/// the accuracy of their diagonalisation only, about 1e-7; then the states of a full zone, each made by one operation,
/// differ by as much from those made by another, and the sum of their densities from the symmetrised one. Groups of
/// bands (degenerate within 1e-5 hartree) are averaged over the operations and made orthonormal again; a group of which
/// some bands are missing stays as it is. The result is spread over plane waves only, and its bits do not depend on how
/// `waves` are spread. \throws Error when the operations are none of these bands'
Orbitals symmetric_bands(const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations,
                         const MoveOptions& options = {});

}  // namespace seiche
