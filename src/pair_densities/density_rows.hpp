// SPDX-License-Identifier: BSD-3-Clause
/// \file  Loops over rows of grid values that compute pair densities.
#pragma once

#include <cstdint>

#include "device/pointwise.hpp"
#include "fft/sphere/on_grid.hpp"
#include "support/wide_loops.hpp"

namespace seiche {

/// Sets pair to a^* b.
template <class Value>
void set_pair(const Value* a, const Value* b, Value* pair, std::int64_t n) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::int64_t x = 0; x < n; ++x) pair[x] = conjugate_product(a[x], b[x]);
  });
}
/// Adds a^* b to pair.
template <class Value>
void add_pair(const Value* a, const Value* b, Value* pair, std::int64_t n) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::int64_t x = 0; x < n; ++x) pair[x] += conjugate_product(a[x], b[x]);
  });
}
/// Sets the values of a tile to the pair density of two orbitals [component][z][y][x] on a box.
template <class Value>
void set_pair_density(const Box& box, int components, const Value* psi, const Value* target, const Box& tile,
                      const View<Value>& view) {
  const std::int64_t n = box.size(0);
  each_row(box, tile, view, [&](std::int64_t row, std::int64_t first) {
    Value* density = view.data + row;
    set_pair(psi + first, target + first, density, n);
    for (int c = 1; c < components; ++c) {
      const std::int64_t at = c * box.volume() + first;
      add_pair(psi + at, target + at, density, n);
    }
  });
}

}  // namespace seiche
