// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in another basis: another cut-off, FFT grid or cell, fewer or more bands. In memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "seiche/layout.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

/// How bands are made orthonormal: Loewdin's way changes all of them as little as possible, Cholesky's (Gram and
/// Schmidt's result) each band by those before it only.
enum class Orthonormal { as_they_are, loewdin, cholesky };

/// What should change; what is not given stays.
struct BasisRequest {
  std::optional<double> cutoff;                   ///< of the wavefunctions, hartree
  std::optional<std::array<Vector3, 3>> lattice;  ///< a1, a2, a3, bohr; waves keep their integer indices
  std::optional<double> density_cutoff;           ///< of the density, hartree; else it changes as `cutoff` does
  std::optional<GridShape> grid;                  ///< the density's FFT grid; else the smallest that holds its sphere
  std::optional<int> bands;                       ///< the first so many; new ones only with Orthonormal::cholesky
  Orthonormal orthonormal = Orthonormal::as_they_are;
  /// The waves of each k-point in the order wanted; none: those within the cut-off, in x, y, z order.
  std::vector<std::vector<Miller>> waves;
};

/// As `header` (say, of a file whose basis is wanted) has it: cell, cut-off and grid.
BasisRequest basis_like(const OrbitalHeader& header);

/// Wavefunctions in their new basis, and what became of them on the way.
struct Reassigned {
  Orbitals orbitals;
  std::vector<double> norm_lost;  ///< [spin][k][band]: of the norm 1 of a band, the part on waves that were left out
  std::vector<std::int64_t> left_out, added;  ///< waves of each k-point
};

/// Collective. The coefficient of each wave that both bases have is kept as it is; waves that are new get zeros, bands
/// that are new get small numbers that depend only on their place. Each rank maps what it holds; the result lies there
/// too, wherever bands are not made orthonormal. \throws Error for a cut-off or a number of bands that is not positive,
/// a grid too small for the waves, or a cell on which the crystal's operations are none
Reassigned reassign(const Orbitals& orbitals, const BasisRequest& request, const MoveOptions& options = {});

/// Collective. The bands of each spin and k-point made orthonormal; the same to the last bit however they are spread.
/// The result is spread over plane waves only. \throws Error when bands depend on each other, or are ultrasoft
Orbitals orthonormalized(const Orbitals& orbitals, Orthonormal how, const MoveOptions& options = {});

/// Collective. Overlaps <a_i|b_j> of all bands of two sets with the same k-points and waves (as reassign() with the
/// other's waves makes them): [spin][k][i][j], the same numbers on every rank, to the last bit however they are spread.
/// \throws Error when k-points or waves are different
std::vector<std::vector<std::complex<double>>> overlaps(const Orbitals& a, const Orbitals& b,
                                                        const MoveOptions& options = {});

/// The smallest singular value of a matrix of `rows` x `columns`, [row][column]: how much of the smaller space lies in
/// the other. 1 for equal spaces.
double smallest_singular_value(std::vector<std::complex<double>> matrix, int rows, int columns);

}  // namespace seiche
