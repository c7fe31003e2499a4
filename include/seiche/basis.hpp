// SPDX-License-Identifier: BSD-3-Clause
/// \file  Changes of the plane-wave basis in memory: cutoff, cell, FFT grid and number of bands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "seiche/layout.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

/// Method of orthonormalization. `loewdin` is the symmetric method; it changes all bands as little as possible.
/// `cholesky` gives the result of Gram-Schmidt: each band is changed by the bands before it only.
enum class Orthonormal { as_they_are, loewdin, cholesky };

/// Requested changes of the basis. Members that are not set leave their quantity unchanged.
struct BasisRequest {
  std::optional<double> cutoff;                   ///< wavefunction cutoff, hartree
  std::optional<std::array<Vector3, 3>> lattice;  ///< a1, a2, a3, bohr; waves keep their Miller indices
  std::optional<double> density_cutoff;           ///< hartree; not set: scaled by the same factor as `cutoff`
  std::optional<GridShape> grid;                  ///< FFT grid of the density; not set: the smallest that holds it
  std::optional<int> bands;                       ///< number of bands; more than before requires Orthonormal::cholesky
  Orthonormal orthonormal = Orthonormal::as_they_are;  ///< whether bands are orthonormalized
  /// Waves of each k-point, in the order of the result. Empty: all waves within the cutoff, in x, y, z order.
  std::vector<std::vector<Miller>> waves;
};

/// Local. Returns a request for the cell, cutoffs and grid of `header`, e.g. the header of another file.
BasisRequest basis_like(const OrbitalHeader& header);

/// Result of a change of basis.
struct Reassigned {
  Orbitals orbitals;                          ///< wavefunctions in the new basis
  std::vector<double> norm_lost;              ///< [spin][k][band]: fraction of each band's norm on removed waves
  std::vector<std::int64_t> left_out, added;  ///< number of removed and of added waves of each k-point
};

/// Collective. Changes the basis. Coefficients of waves in both bases are copied without change. Coefficients of added
/// waves are zero. Added bands have small pseudo-random coefficients, which depend only on spin, k-point, band and
/// wave. Each rank maps its own coefficients. The layout stays the same unless bands are orthonormalized.
/// \throws Error if the cutoff or the number of bands is not positive, or a wave does not fit the grid
/// \throws Error if a symmetry operation of the crystal does not keep the new cell
Reassigned reassign(const Orbitals& orbitals, const BasisRequest& request, const MoveOptions& options = {});

/// Collective. Orthonormalizes the bands of each spin and k-point. The result is bitwise identical for all layouts of
/// the input. The bands of the result are distributed over plane waves only.
/// \throws Error if bands are linearly dependent, or not norm-conserving
Orbitals orthonormalized(const Orbitals& orbitals, Orthonormal how, const MoveOptions& options = {});

/// Collective. Returns the overlaps <a_i|b_j> of all bands as [spin][k][i][j] on every rank. Both sets need the same
/// k-points and waves; reassign() with the waves of the other set provides them. The result is bitwise identical for
/// all layouts.
/// \throws Error if k-points, spins or waves differ
std::vector<std::vector<std::complex<double>>> overlaps(const Orbitals& a, const Orbitals& b,
                                                        const MoveOptions& options = {});

/// Local. Returns the smallest singular value of a matrix of shape [rows][columns]. For the overlaps of two sets of
/// bands it measures how much of the smaller space is in the other one. The value is 1 if all of it is.
double smallest_singular_value(std::vector<std::complex<double>> matrix, int rows, int columns);

}  // namespace seiche
