// SPDX-License-Identifier: BSD-3-Clause
/// \file  Linear algebra between the bands of one state. Sums over waves run over blocks, each of which is on one rank.
/// The sums of blocks are added as integers, so results are bitwise identical for any distribution of the waves.
#pragma once

#include <complex>
#include <vector>

#include "seiche/basis.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

using Matrix = std::vector<std::complex<double>>;  ///< [row][column]

/// Returns the layout that all functions here require: distributed over waves only, in whole blocks.
OrbitalLayout by_blocks(int ranks);

/// Collective. Returns <a_i|b_j> of one state, [i][j], on every rank. For half spheres the sums include both halves.
Matrix overlap(const Orbitals& a, const Orbitals& b, int spin, int k);

/// This rank's parts of two sets of bands on the same waves, distributed in blocks, and the numbers of bands.
struct PartPair {
  const OrbitalPart *a = nullptr, *b = nullptr;  ///< null: no part
  int rows = 0, columns = 0;
};
/// Collective. Returns the same for any parts. `header` tells the components and whether spheres are half.
Matrix overlap(const Communicator& comm, const OrbitalHeader& header, const PartPair& pair);

/// Adds sum_j `from`_j x_ji to `to`_i for all bands. Both parts belong to one rank and state, with the same waves. The
/// matrix is square.
void add_combined(const OrbitalPart& from, const Matrix& x, int spinor, OrbitalPart& to);

/// Return x such that the bands sum_j psi_j x_ji are orthonormal: S^(-1/2), or L^-H with S = L L^H.
/// \throws Error if bands are linearly dependent
Matrix loewdin(Matrix s, int n);
Matrix cholesky(Matrix s, int n);

}  // namespace seiche
