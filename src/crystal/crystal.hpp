// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small geometry of crystals, and the names of the elements.
#pragma once

#include <string>

#include "seiche/crystal.hpp"
#include "support/vector3.hpp"

namespace seiche {

inline constexpr double bohr_in_angstrom = 0.529177210903;  ///< CODATA 2018

/// Whether no component of two sets of vectors differs by more than `tolerance` times the largest of `b`.
bool nearly_same(const std::array<Vector3, 3>& a, const std::array<Vector3, 3>& b, double tolerance);

/// A cartesian point (bohr) in units of the lattice vectors.
Vector3 fractional(const Crystal& crystal, const Vector3& cartesian);

/// A point in units of the lattice vectors as a cartesian one (bohr).
Vector3 cartesian(const Crystal& crystal, const Vector3& fractional);

/// {E|0}, which every crystal has.
SymmetryOperation identity_operation();

/// The operations of a crystal whose operations have to be said; the identity where they are not known.
std::vector<SymmetryOperation> operations_or_identity(const Crystal& crystal);

/// Whether an operation keeps lengths and angles of the crystal's lattice, to 1e-5 of them.
bool keeps_lattice(const Crystal& crystal, const SymmetryOperation& operation);

/// 14 for "Si"; 0 for what is no element.
int atomic_number(const std::string& symbol);

/// "Si" for 14; "?" for what is no element.
std::string symbol_of(int atomic_number);

/// The element in a code's label: "Fe" from "Fe1" or "FE_up".
std::string element_of(const std::string& label);

}  // namespace seiche
