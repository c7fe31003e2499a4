// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions on pairs of lines: both components of a spinor on the same row of the grid. Neighbouring lines of a
/// warp are such a pair: even lines have the component up, odd lines the component down.
#pragma once

#include "cuda/grid_rows.cuh"

namespace seiche::cuda {

/// Reads the values of the other component.
template <class X>
SEICHE_DEVICE void other_component(const X& line, const typename X::Registers& v, typename X::Registers& other) {
  const int step = line.line % 2 ? -X::place.line : X::place.line;
  const bool has_other = line.line / 2 * 2 + 1 < X::lines;
  line.each_position([&](auto i, int x) { line.shared[x] = v[i()].x; });
  __syncwarp();
  if (has_other) line.each_position([&](auto i, int x) { other[i()].x = line.shared[x + step]; });
  __syncwarp();
  line.each_position([&](auto i, int x) { line.shared[x] = v[i()].y; });
  __syncwarp();
  if (has_other) line.each_position([&](auto i, int x) { other[i()].y = line.shared[x + step]; });
  __syncwarp();
}

/// Multiplies spinors by v + b.sigma. Fields: v, bx, by, bz.
template <class X>
SEICHE_DEVICE void multiply_spinor(const X& line, const GridRow& row, const typename X::Real* potential,
                                   std::int64_t points, typename X::Registers& v) {
  using Real = typename X::Real;
  typename X::Registers other;
  other_component(line, v, other);
  if (row.first < 0) return;
  const Real* first = potential + row.first;
  const Real sign = line.line % 2 ? -1 : 1;
  line.each_position([&](auto i, int x) {
    const SpinPotential<Real> here{first[x], first[x + points], first[x + 2 * points], first[x + 3 * points]};
    v[i()] = spin_product(here, sign, v[i()], other[i()]);
  });
}

/// Adds weight * (n, mx, my, mz). Lines of the component up add n and mz, the others mx and my.
template <class X>
SEICHE_DEVICE void add_magnetization(const X& line, const GridRow& row, double* density, std::int64_t points,
                                     double weight, const typename X::Registers& v) {
  typename X::Registers other;
  other_component(line, v, other);
  if (row.first < 0) return;
  const bool down = line.line % 2;
  double *first = density + row.first + (down ? points : 0), *second = first + (down ? points : 3 * points);
  line.each_position([&](auto i, int x) {
    if (down) {  // `other` is the component up
      const SpinDensity all = spin_density(weight, other[i()], v[i()]);
      first[x] += all.mx;
      second[x] += all.my;
    } else {
      const SpinDensity all = spin_density(weight, v[i()], other[i()]);
      first[x] += all.n;
      second[x] += all.mz;
    }
  });
}

}  // namespace seiche::cuda
