// SPDX-License-Identifier: BSD-3-Clause
/// \file  Accumulation of densities and magnetizations along rows of the grid. Results are bitwise identical on all
/// processors.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "device/pointwise.hpp"
#include "support/wide_loops.hpp"

namespace seiche {

/// Adds weight * |psi[x]|^2 to sum[x].
template <class Value>
void add_squares(double weight, std::span<const Value> psi, double* sum) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < psi.size(); ++x) sum[x] += weight * squared(psi[x]);
  });
}
/// Adds weight * (|up[x]|^2 + |down[x]|^2) to sum[x].
template <class Value>
void add_squares(double weight, std::span<const Value> up, std::span<const Value> down, double* sum) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < up.size(); ++x) sum[x] += weight * (squared(up[x]) + squared(down[x]));
  });
}
/// Adds weight * (n, mx, my, mz) of a spinor to `sums`.
template <class Value>
void add_magnetism(double weight, std::span<const Value> up, std::span<const Value> down,
                   const std::array<double*, 4>& sums) {
  run_wide([ =, n = sums[0], mx = sums[1], my = sums[2], mz = sums[3] ]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < up.size(); ++x) {
      const SpinDensity all = spin_density(weight, up[x], down[x]);
      n[x] += all.n;
      mx[x] += all.mx;
      my[x] += all.my;
      mz[x] += all.mz;
    }
  });
}

}  // namespace seiche
