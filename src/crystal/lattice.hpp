// SPDX-License-Identifier: BSD-3-Clause
/// \file  Geometry of crystals, and the symbols of the elements.
#pragma once

#include <string>

#include "seiche/crystal.hpp"
#include "support/vector3.hpp"

namespace seiche {

inline constexpr double bohr_in_angstrom = 0.529177210903;  ///< CODATA 2018

/// Returns whether all components of two sets of vectors agree within `tolerance` times the largest component of `b`.
bool nearly_same(const std::array<Vector3, 3>& a, const std::array<Vector3, 3>& b, double tolerance);

/// Converts a cartesian point (bohr) to units of the lattice vectors.
Vector3 fractional(const Crystal& crystal, const Vector3& cartesian);

/// Converts a point in units of the lattice vectors to cartesian coordinates (bohr).
Vector3 cartesian(const Crystal& crystal, const Vector3& fractional);

/// Returns {E|0}, which every crystal has.
SymmetryOperation identity_operation();

/// Returns the operations of a crystal, or the identity if they are unknown.
std::vector<SymmetryOperation> operations_or_identity(const Crystal& crystal);

/// Returns whether an operation preserves lengths and angles of the crystal's lattice, to a relative 1e-5.
bool keeps_lattice(const Crystal& crystal, const SymmetryOperation& operation);

/// Returns 14 for "Si", and 0 for an unknown symbol.
int atomic_number(const std::string& symbol);

/// Returns "Si" for 14, and "?" for an unknown number.
std::string symbol_of(int atomic_number);

/// Extracts the element from a label of a code: "Fe" from "Fe1" or "FE_up".
std::string element_of(const std::string& label);

}  // namespace seiche
