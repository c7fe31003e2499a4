// SPDX-License-Identifier: BSD-3-Clause
/// \file  Crystals: cell, atoms and symmetry operations. Lengths are in bohr. Translations and k-points are in units of
/// the (reciprocal) lattice vectors. All functions are local.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

using Vector3 = std::array<double, 3>;  ///< Three components, of a point or a direction.

/// An atom: element and position.
struct Atom {
  std::string symbol;  ///< element symbol, e.g. "Si"
  Vector3 position{};  ///< Cartesian, bohr
};

/// Symmetry operation {R|t}: maps a point x (in units of the lattice vectors) to R x + t.
struct SymmetryOperation {
  std::array<std::array<int, 3>, 3> rotation{};  ///< R, as rows
  Vector3 translation{};                         ///< t
  bool time_reversal = false;                    ///< whether time reversal follows
};

/// Cell, atoms and symmetry.
struct Crystal {
  std::array<Vector3, 3> lattice{};           ///< a1, a2, a3, bohr
  std::vector<Atom> atoms;                    ///< atoms of the cell
  std::vector<SymmetryOperation> operations;  ///< symmetries of the density, identity first; empty: unknown

  std::array<Vector3, 3> reciprocal() const;  ///< b1, b2, b3 with a_i . b_j = 2 pi delta_ij, bohr^-1
  double volume() const;                      ///< bohr^3, positive
};

/// Returns the operation `second` after `first`: {R2 R1 | R2 t1 + t2}.
SymmetryOperation product(const SymmetryOperation& second, const SymmetryOperation& first);

/// Returns the inverse operation {R^-1 | -R^-1 t}, with the same time reversal.
/// \throws Error unless det R is 1 or -1
SymmetryOperation inverse(const SymmetryOperation& operation);

/// Returns the image of a k-point: R^-T k, or -R^-T k with time reversal. It is not reduced to the Brillouin zone.
Vector3 image_of(const SymmetryOperation& operation, const Vector3& k);

/// Returns the matrix [row][column] that an operation applies to spinors (up, down). It is the SU(2) matrix U of the
/// proper rotation det(R) R. With time reversal it is i sigma_y conj(U), for the complex conjugate of the spinor. The
/// same operation always has the same one of the two possible signs.
/// \throws Error if R does not keep the lengths and angles of the lattice
std::array<std::array<std::complex<double>, 2>, 2> spin_matrix(const Crystal& crystal,
                                                               const SymmetryOperation& operation);

/// Finds the symmetry operations of the lattice and the atoms with spglib, within `tolerance` (bohr). The identity
/// comes first. Atoms of one element count as equal; magnetic order is ignored.
/// \throws Error if spglib finds no operation
std::vector<SymmetryOperation> find_operations(const Crystal& crystal, double tolerance = 1e-5);

/// Returns the smallest FFT grid that holds all waves within `density_cutoff` (hartree). Its sizes have the factors 2,
/// 3 and 5 only. If possible, the translations of the operations map grid points to grid points. \throws
/// Error(bad_file) if an axis would need about a million points
GridShape fft_grid(const Crystal& crystal, double density_cutoff);

}  // namespace seiche
