// SPDX-License-Identifier: BSD-3-Clause
/// \file  A crystal: cell, atoms, and the symmetry operations it has. Lengths in bohr; translations and k-points in
/// units of the lattice (docs/conventions.md).
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

using Vector3 = std::array<double, 3>;

/// Of an element, at a place.
struct Atom {
  std::string symbol;  ///< element symbol, e.g. "Si"
  Vector3 position{};  ///< cartesian, bohr
};

/// {R|t}: a point x (in units of the lattice vectors) goes to R x + t; with `time_reversal`, followed by it.
struct SymmetryOperation {
  std::array<std::array<int, 3>, 3> rotation{};
  Vector3 translation{};
  bool time_reversal = false;
};

/// Cell, atoms and symmetry.
struct Crystal {
  std::array<Vector3, 3> lattice{};  ///< a1, a2, a3, bohr
  std::vector<Atom> atoms;
  std::vector<SymmetryOperation> operations;  ///< those the density has; the identity first; none: not known

  std::array<Vector3, 3> reciprocal() const;  ///< b1, b2, b3 with a_i . b_j = 2 pi delta_ij, bohr^-1
  double volume() const;                      ///< bohr^3, positive
};

/// `second` after `first`: {R2 R1 | R2 t1 + t2}.
SymmetryOperation product(const SymmetryOperation& second, const SymmetryOperation& first);

/// {R^-1 | -R^-1 t}, with the same time reversal. \throws Error unless det R is 1 or -1
SymmetryOperation inverse(const SymmetryOperation& operation);

/// The k-point to which Bloch waves of `k` go: R^-T k, with time reversal -R^-T k. Not reduced to any zone.
Vector3 image_of(const SymmetryOperation& operation, const Vector3& k);

/// 2 x 2 matrix [row][column] by which spinors (up, down) turn: that of the proper part of R in SU(2), det R being
/// trivial for spins; with time reversal i sigma_y conj(that), to be applied to the conjugate spinor. Its sign is one
/// of two, and the same for the same operation. \throws Error when R does not keep the lattice's lengths and angles
std::array<std::array<std::complex<double>, 2>, 2> spin_matrix(const Crystal& crystal,
                                                               const SymmetryOperation& operation);

/// The operations of `crystal` by spglib: those that keep its lattice and atoms, within `tolerance` (bohr); the
/// identity first. Atoms of one element are taken for equal: magnetic order is not seen. \throws Error when spglib
/// finds none
std::vector<SymmetryOperation> find_operations(const Crystal& crystal, double tolerance = 1e-5);

/// The smallest grid that holds the density's waves, with factors 2, 3 and 5 only, and on which the operations take
/// points to points (where any does: translations need not be simple fractions). \throws Error(bad_file) for a million
/// points along an axis and more
GridShape fft_grid(const Crystal& crystal, double density_cutoff);

}  // namespace seiche
