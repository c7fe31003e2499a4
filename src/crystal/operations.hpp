// SPDX-License-Identifier: BSD-3-Clause
/// \file  Integer matrices of symmetry operations, and their action on reciprocal space.
#pragma once

#include <array>
#include <cstdint>

#include "seiche/crystal.hpp"

namespace seiche {

using Rotation = std::array<std::array<int, 3>, 3>;

template <class Number>
std::array<Number, 3> times(const Rotation& a, const std::array<Number, 3>& x) {
  std::array<Number, 3> y{};
  for (std::size_t i = 0; i < 3; ++i) y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
  return y;
}

/// Returns the determinant, which is 1 or -1 for symmetries of lattices. Entries must be below 10^6.
std::int64_t determinant(const Rotation& rotation);

/// Returns R^-T, or -R^-T with time reversal, which multiplies k + G.
Rotation reciprocal_rotation(const SymmetryOperation& operation);

/// \throws Error(bad_argument) unless the operation preserves lengths and angles of the crystal's lattice
void require_symmetry_of(const Crystal& crystal, const SymmetryOperation& operation);

}  // namespace seiche
