// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cases of exact exchange, with this rank's part of their data. Expected results are sums by the definition.
#pragma once

#include <utility>
#include <vector>

#include "fft/sphere_case.hpp"
#include "seiche/exact_exchange.hpp"

namespace seiche::testing {

/// A case on all ranks. `q` moves the waves of occupied orbitals, too.
struct Case {
  GridShape shape{6, 5, 8};
  int components = 1;
  double q = 0;
  Spread spread = Spread::sticks;
  std::int64_t targets = 5;
  std::vector<double> weights{1, 0.5, 2, 0.25};
};

/// Returns a kernel that has no symmetry unless `q` is 0.
inline double kernel_of(const Miller& g, double q) {
  return 2 / (0.5 + (g.x + q) * (g.x + q) + 1.5 * g.y * g.y + 0.5 * g.z * g.z) + (q == 0 ? 0 : 0.02 * (g.y - g.z));
}

/// Orbitals, kernel and result of a case, and this rank's part of them.
template <class Value = Complex>
struct Data {
  static constexpr bool half = std::is_floating_point_v<Value>;

  explicit Data(const Case& of)
      : weights(of.weights),
        density_waves(waves_in(of.shape, half)),
        targets({of.shape, of.spread, of.targets, of.components}, waves_in(of.shape, half, 0.7)),
        occupied({of.shape, of.spread, std::ssize(of.weights), of.components}, waves_in(of.shape, half, 0.7, of.q), 50),
        kernel_on_grid(static_cast<std::size_t>(of.shape.volume())) {
    for (const Miller& g : density_waves) {
      kernel_on_grid[index_in(of.shape, g)] = kernel_of(g, of.q);
      if (half) kernel_on_grid[index_in(of.shape, Miller{-g.x, -g.y, -g.z})] = kernel_of(g, of.q);
    }
    for (const std::size_t i : positions_of(density_waves, of.spread)) {
      mine_density.push_back(density_waves[i]);
      kernel.push_back(kernel_of(density_waves[i], of.q));
    }
  }
  const std::vector<Complex>& in() const { return targets.in; }
  const std::vector<Complex>& in_occupied() const { return occupied.in; }
  /// Returns this rank's coefficients of V_x of the targets.
  std::vector<Complex> expected() const { return project(targets, on_grid_of(targets)); }
  /// Returns those of the occupied orbitals whose weight is not 0.
  std::vector<Complex> expected_of_occupied() const {
    const auto all = project(occupied, on_grid_of(occupied));
    const std::ptrdiff_t length = std::ssize(occupied.mine) * occupied.components;
    std::vector<Complex> some;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(j) * length;
      if (weights[j] != 0) some.insert(some.end(), first, first + length);
    }
    return some;
  }
  /// Returns 1/2 sum_i weights[i] <psi_i|V_x psi_i>.
  double energy(const std::vector<double>& of_targets) const {
    const auto values = on_grid_of(targets);
    double sum = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      const double weight = of_targets[row / static_cast<std::size_t>(targets.components)];
      for (std::size_t at = 0; at < values[row].size(); ++at) {
        sum += 0.5 * weight * (std::conj(targets.grid[row][at]) * values[row][at]).real();
      }
    }
    return sum / static_cast<double>(targets.shape.volume());
  }

  std::vector<double> weights;
  std::vector<Miller> density_waves;
  Bands<Value> targets, occupied;
  std::vector<double> kernel_on_grid;  // 0 outside of the density waves
  std::vector<Miller> mine_density;    // waves of this rank
  std::vector<double> kernel;          // and their kernel

 private:
  using Rows = std::vector<std::vector<Wide>>;
  /// Returns V_x of some bands on the grid: [band][component].
  Rows on_grid_of(const Bands<Value>& bands) const {
    const auto points = static_cast<std::size_t>(bands.shape.volume());
    Rows result(bands.rows(), std::vector<Wide>(points));
    for (std::int64_t i = 0; i < bands.bands; ++i) {
      for (std::int64_t j = 0; j < occupied.bands; ++j) {
        const double weight = weights[static_cast<std::size_t>(j)];
        if (weight == 0) continue;
        std::vector<Wide> pair(points);
        for (std::int64_t c = 0; c < bands.components; ++c) {
          const auto &phi = occupied.row(j, c), &psi = bands.row(i, c);
          for (std::size_t at = 0; at < points; ++at) pair[at] += std::conj(phi[at]) * psi[at] / double(points);
        }
        pair = shared_fourier_sum(pair, bands.shape, -1);
        for (std::size_t g = 0; g < points; ++g) pair[g] *= kernel_on_grid[g];
        const auto potential = shared_fourier_sum(pair, bands.shape, +1);
        for (std::int64_t c = 0; c < bands.components; ++c) {
          auto& sum = result[static_cast<std::size_t>(i * bands.components + c)];
          for (std::size_t at = 0; at < points; ++at) sum[at] -= weight * occupied.row(j, c)[at] * potential[at];
        }
      }
    }
    return result;
  }
  static std::vector<Complex> project(const Bands<Value>& bands, const Rows& values) {
    return bands.coefficients_of([&](std::int64_t i, std::int64_t c, std::size_t at) {
      return values[static_cast<std::size_t>(i * bands.components + c)][at];
    });
  }
};

template <class Value>
ExactExchange<Value> make(const Case& of, const Data<Value>& data, ExactExchangeOptions options) {
  options.fft.components = of.components;
  return ExactExchange<Value>(MPI_COMM_WORLD, of.shape, data.targets.mine, data.mine_density, options);
}
template <class Value>
OccupiedOrbitals<Value> make_occupied(ExactExchange<Value>& exchange, const Case& of, const Data<Value>& data) {
  return exchange.occupied(data.occupied.mine, data.in_occupied(), of.weights);
}

inline std::vector<int> groups_here() {
  std::vector<int> groups;
  for (int n = 1; n <= ranks(); ++n) {
    if (ranks() % n == 0) groups.push_back(n);
  }
  return groups;
}

}  // namespace seiche::testing
