// SPDX-License-Identifier: BSD-3-Clause
/// \file  Linear algebra among the bands of one state. Sums over waves run block by block, over blocks that lie whole
/// on one rank, and blocks are added as whole numbers: results have the same bits however the waves are spread.
#pragma once

#include <complex>
#include <vector>

#include "seiche/basis.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

using Matrix = std::vector<std::complex<double>>;  ///< [row][column]

/// Spread over waves only, in whole blocks: the layout that all functions here ask for.
OrbitalLayout by_blocks(int ranks);

/// Collective. <a_i|b_j> of one state, [i][j], on every rank. Of half spheres, the sum over both halves.
Matrix overlap(const Orbitals& a, const Orbitals& b, int spin, int k);

/// What this rank holds of two sets of bands on the same waves, spread in blocks, and how many bands they have.
struct PartPair {
  const OrbitalPart *a = nullptr, *b = nullptr;  ///< null: nothing
  int rows = 0, columns = 0;
};
/// Collective. The same for any parts. `header` says of what kind the waves are.
Matrix overlap(const Communicator& comm, const OrbitalHeader& header, const PartPair& pair);

/// `to`_i += sum_j `from`_j x_ji, for all bands; both of one rank and state, over the same waves. The matrix is square.
void add_combined(const OrbitalPart& from, const Matrix& x, int spinor, OrbitalPart& to);

/// S^(-1/2), or L^-H of S = L L^H: x for which sum_j psi_j x_ji are orthonormal. \throws Error when bands depend on
/// each other
Matrix loewdin(Matrix s, int n);
Matrix cholesky(Matrix s, int n);

}  // namespace seiche
