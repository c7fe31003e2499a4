// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions on the grid that join bands of two plans: complex potentials, and products of bands. They receive
/// the components of a band of the first plan, then those of the second one. For spinors, potentials and densities may
/// have four components, as in on_grid.hpp.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>

#include "device/pointwise.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/row_lines.hpp"
#include "seiche/layout.hpp"
#include "support/wide_loops.hpp"

namespace seiche {

/// A row along x of all components of both bands.
template <class Value>
using JoinedRow = std::array<Value*, 2 * most_components>;

/// Calls visit(row, first) for all rows of a tile. `first` is the offset of the row in this rank's part of the grid.
template <class Value, class Visit>
void each_joined_row(const Box& mine, const Box& tile, std::span<const View<Value>> components, const Visit& visit) {
  for (std::int64_t y = 0; y < tile.size(1); ++y) {  // tiles have one plane
    JoinedRow<Value> row{};
    for (std::size_t c = 0; c < components.size(); ++c) row[c] = components[c].data + y * components[c].stride[1];
    const std::int64_t above = tile.axis[2].low - mine.axis[2].low, before = tile.axis[1].low + y - mine.axis[1].low;
    visit(row, (above * mine.size(1) + before) * mine.size(0));
  }
}

/// Sets the band of the second plan to the product of a complex potential and the band of the first plan.
template <class Value>
struct Perturb {
  const Box& mine;
  const std::complex<double>* potential;

  void operator()(std::int64_t, const Box& tile, std::span<const View<Value>> components) const {
    const std::size_t half = components.size() / 2;
    each_joined_row(mine, tile, components, [&](const JoinedRow<Value>& row, std::int64_t first) {
      const std::complex<double>* v = potential + first;
      for (std::size_t c = 0; c < half; ++c) {
        run_wide([ =, n = mine.size(0), psi = row[c], to = row[half + c] ]() __attribute__((always_inline)) {
          for (std::int64_t x = 0; x < n; ++x) to[x] = product(static_cast<Value>(v[x]), psi[x]);
        });
      }
    });
  }
};

/// Same for spinors: the potential is v + b.sigma.
template <class Value>
struct PerturbSpinors {
  const Box& mine;
  const std::complex<double>* potential;

  void operator()(std::int64_t, const Box& tile, std::span<const View<Value>> components) const {
    each_joined_row(mine, tile, components, [&](const JoinedRow<Value>& row, std::int64_t first) {
      const std::int64_t n = mine.size(0), points = mine.volume();
      const std::complex<double>*v = potential + first, *bx = v + points, *by = bx + points, *bz = by + points;
      run_wide([=]() __attribute__((always_inline)) {
        for (std::int64_t x = 0; x < n; ++x) {
          const std::complex<double> up(row[0][x]), down(row[1][x]), turned(-by[x].imag(), by[x].real());  // i by
          row[2][x] = static_cast<Value>(product(v[x] + bz[x], up) + product(bx[x] - turned, down));
          row[3][x] = static_cast<Value>(product(v[x] - bz[x], down) + product(bx[x] + turned, up));
        }
      });
    });
  }
};

/// Adds weight * psi^* phi of each band to the density, summed over components. psi is a band of the first plan, phi of
/// the second one.
template <class Value>
struct AddProducts {
  const Box& mine;
  const double* weights;  // by band
  std::complex<double>* density;

  void operator()(std::int64_t band, const Box& tile, std::span<const View<Value>> components) const {
    if (weights[band] == 0) return;
    const std::size_t half = components.size() / 2;
    each_joined_row(mine, tile, components, [&](const JoinedRow<Value>& row, std::int64_t first) {
      for (std::size_t c = 0; c < half; ++c) {
        run_wide(
            [ n = mine.size(0), weight = weights[band], psi = row[c], phi = row[half + c], sum = density + first ]()
                __attribute__((always_inline)) {
                  for (std::int64_t x = 0; x < n; ++x) {
                    sum[x] += weight * conjugate_product(std::complex<double>(psi[x]), std::complex<double>(phi[x]));
                  }
                });
      }
    });
  }
};

/// Adds weight * (n, mx, my, mz) of psi^* phi for spinors.
template <class Value>
struct AddSpinProducts {
  const Box& mine;
  const double* weights;
  std::complex<double>* density;

  void operator()(std::int64_t band, const Box& tile, std::span<const View<Value>> components) const {
    if (weights[band] == 0) return;
    each_joined_row(mine, tile, components, [&](const JoinedRow<Value>& row, std::int64_t first) {
      const std::int64_t points = mine.volume();
      std::complex<double>*sum = density + first, *mx = sum + points, *my = mx + points, *mz = my + points;
      run_wide([ =, n = mine.size(0), weight = weights[band] ]() __attribute__((always_inline)) {
        using Complex = std::complex<double>;
        for (std::int64_t x = 0; x < n; ++x) {
          const Complex up(row[0][x]), down(row[1][x]), phi_up(row[2][x]), phi_down(row[3][x]);
          const Complex uu = conjugate_product(up, phi_up), dd = conjugate_product(down, phi_down);
          const Complex ud = conjugate_product(up, phi_down), du = conjugate_product(down, phi_up);
          sum[x] += weight * (uu + dd);
          mx[x] += weight * (ud + du);
          my[x] += weight * Complex((ud - du).imag(), -(ud - du).real());  // -i (ud - du)
          mz[x] += weight * (uu - dd);
        }
      });
    });
  }
};

}  // namespace seiche
