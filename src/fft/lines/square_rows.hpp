// SPDX-License-Identifier: BSD-3-Clause
/// \file  Squares of bands, added along rows of the grid. Of spinors also their magnetisation.
#pragma once

#include <array>
#include <span>

namespace seiche {

/// sum[x] += weight |psi[x]|^2, with the same bits on all processors.
template <class Value>
void add_squares(double weight, std::span<const Value> psi, double* sum);
/// sum[x] += weight (|up[x]|^2 + |down[x]|^2)
template <class Value>
void add_squares(double weight, std::span<const Value> up, std::span<const Value> down, double* sum);
/// Adds weight times n, mx, my, mz of a spinor.
template <class Value>
void add_magnetism(double weight, std::span<const Value> up, std::span<const Value> down,
                   const std::array<double*, 4>& sums);

}  // namespace seiche
