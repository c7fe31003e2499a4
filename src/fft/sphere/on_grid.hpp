// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions on the grid that apply potentials and add densities. For spinors, both may have four components: v,
/// bx, by, bz of a potential v + b.sigma, and n, mx, my, mz of a density.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "device/pointwise.hpp"
#include "fft/sphere/row_lines.hpp"
#include "fft/sphere/square_rows.hpp"
#include "seiche/layout.hpp"

namespace seiche {

constexpr std::int64_t components_of_magnetism = 4;

/// Calls visit(row, first) for all rows of a tile. `row` is the offset of the row in a component of the tile. `first`
/// is its offset in this rank's part of the grid.
template <class Value, class Visit>
void each_row(const Box& mine, const Box& tile, const View<Value>& values, const Visit& visit) {
  for (std::int64_t z = 0; z < values.shape[2]; ++z) {
    for (std::int64_t y = 0; y < values.shape[1]; ++y) {
      const std::int64_t above = tile.axis[2].low + z - mine.axis[2].low,
                         before = tile.axis[1].low + y - mine.axis[1].low;
      visit(y * values.stride[1] + z * values.stride[2], (above * mine.size(1) + before) * mine.size(0));
    }
  }
}

/// Multiplies each component by the potential.
template <class Value>
struct Multiply {
  const Box& mine;
  const double* potential;

  void operator()(std::int64_t, const Box& tile, std::span<const View<Value>> components) const {
    using Real = decltype(std::real(Value{}));
    for (const View<Value>& values : components) {
      each_row(mine, tile, values, [&](std::int64_t row, std::int64_t first) {
        Value* psi = values.data + row;
        const double* v = potential + first;
        for (std::int64_t x = 0; x < mine.size(0); ++x) psi[x] *= static_cast<Real>(v[x]);
      });
    }
  }
};

/// Multiplies spinors by v + b.sigma.
template <class Value>
struct MultiplySpinors {
  const Box& mine;
  const double* potential;

  void operator()(std::int64_t, const Box& tile, std::span<const View<Value>> components) const {
    each_row(mine, tile, components[0], [&](std::int64_t row, std::int64_t first) {
      Value *up = components[0].data + row, *down = components[1].data + row;
      const std::int64_t points = mine.volume();
      const double *v = potential + first, *bx = v + points, *by = bx + points, *bz = by + points;
      for (std::int64_t x = 0; x < mine.size(0); ++x) {
        const std::complex<double> u(up[x]), d(down[x]);
        const SpinPotential<double> here{v[x], bx[x], by[x], bz[x]};
        up[x] = static_cast<Value>(spin_product(here, 1.0, u, d));
        down[x] = static_cast<Value>(spin_product(here, -1.0, d, u));
      }
    });
  }
};

/// Adds weight * |psi|^2 of each band to the density, summed over components.
template <class Value>
struct AddSquares {
  const Box& mine;
  const double* weights;  // by band
  double* density;

  void operator()(std::int64_t band, const Box& tile, std::span<const View<Value>> components) const {
    if (weights[band] == 0) return;
    const auto points = static_cast<std::size_t>(mine.size(0));
    each_row(mine, tile, components[0], [&](std::int64_t row, std::int64_t first) {
      const std::span<const Value> psi(components[0].data + row, points);
      if (components.size() == 1) return add_squares(weights[band], psi, density + first);
      add_squares(weights[band], psi, {components[1].data + row, points}, density + first);
    });
  }
};

/// Adds weight * |psi|^2 and the magnetization of spinors to the density.
template <class Value>
struct AddMagnetism {
  const Box& mine;
  const double* weights;
  double* density;

  void operator()(std::int64_t band, const Box& tile, std::span<const View<Value>> components) const {
    if (weights[band] == 0) return;
    const auto points = static_cast<std::size_t>(mine.size(0));
    each_row(mine, tile, components[0], [&](std::int64_t row, std::int64_t first) {
      double *n = density + first, *mx = n + mine.volume(), *my = mx + mine.volume(), *mz = my + mine.volume();
      add_magnetism<Value>(weights[band], {components[0].data + row, points}, {components[1].data + row, points},
                           {n, mx, my, mz});
    });
  }
};

}  // namespace seiche
