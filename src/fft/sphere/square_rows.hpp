// SPDX-License-Identifier: BSD-3-Clause
/// \file  Accumulation of densities and magnetizations along rows of the grid.
#pragma once

#include <array>
#include <span>

namespace seiche {

/// Adds weight * |psi[x]|^2 to sum[x]. Results are bitwise identical on all processors.
template <class Value>
void add_squares(double weight, std::span<const Value> psi, double* sum);
/// Adds weight * (|up[x]|^2 + |down[x]|^2) to sum[x].
template <class Value>
void add_squares(double weight, std::span<const Value> up, std::span<const Value> down, double* sum);
/// Adds weight * (n, mx, my, mz) of a spinor to `sums`.
template <class Value>
void add_magnetism(double weight, std::span<const Value> up, std::span<const Value> down,
                   const std::array<double*, 4>& sums);

}  // namespace seiche
