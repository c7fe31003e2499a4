// SPDX-License-Identifier: BSD-3-Clause
/// \file  Geometry of crystals, and names of the elements.
#pragma once

#include <string>

#include "seiche/crystal.hpp"
#include "support/vector3.hpp"

namespace seiche {

inline constexpr double bohr_in_angstrom = 0.529177210903;  ///< CODATA 2018

/// Tells whether two sets of vectors agree within `tolerance` times the largest component of `b`.
bool nearly_same(const std::array<Vector3, 3>& a, const std::array<Vector3, 3>& b, double tolerance);

/// Converts a Cartesian point (bohr) to units of the lattice vectors.
Vector3 fractional(const Crystal& crystal, const Vector3& cartesian);

/// Converts a point in units of the lattice vectors to Cartesian coordinates (bohr).
Vector3 cartesian(const Crystal& crystal, const Vector3& fractional);

/// Returns the identity {E|0}.
SymmetryOperation identity_operation();

/// Returns the operations of a crystal, or the identity if they are unknown.
std::vector<SymmetryOperation> operations_or_identity(const Crystal& crystal);

/// Tells whether an operation keeps lengths and angles of the lattice, within a relative tolerance of 1e-5.
bool keeps_lattice(const Crystal& crystal, const SymmetryOperation& operation);

/// Returns the atomic number of an element, e.g. 14 for "Si"; 0 for an unknown symbol.
int atomic_number(const std::string& symbol);

/// Returns the symbol of an element, e.g. "Si" for 14; "?" for an unknown number.
std::string symbol_of(int atomic_number);

/// Returns the element in a label of a code, e.g. "Fe" for "Fe1" or "FE_up".
std::string element_of(const std::string& label);

}  // namespace seiche
