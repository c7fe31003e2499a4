// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cases of exact exchange, with this rank's part of their data.
#pragma once

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "exact_exchange/direct_sum.hpp"

namespace seiche::testing {

/// A case on all ranks. `q` moves the waves of occupied orbitals, too.
struct Case {
  GridShape shape{6, 5, 8};
  std::int64_t components = 1;
  double q = 0;
  bool half = false;
  bool sticks = true;
  std::int64_t targets = 5;
  std::vector<double> weights{1, 0.5, 2, 0.25};
};

/// Orbitals, kernel and result of a case, and this rank's part of them.
struct Data {
  explicit Data(const Case& of)
      : density_waves(sphere(of.shape, 4, 0, of.half)),
        targets(make_orbitals(sphere(of.shape, 2.1, 0, of.half), of.targets, of.components, 1, of.half)),
        occupied(
            make_orbitals(sphere(of.shape, 2.1, of.q, of.half), std::ssize(of.weights), of.components, 50, of.half)),
        sum(of.shape, density_waves, of.q, of.half),
        expected(sum.apply(occupied, of.weights, targets)),
        mine(mine_of(targets.waves, of.sticks)),
        mine_occupied(mine_of(occupied.waves, of.sticks)),
        mine_density(mine_of(density_waves, of.sticks)) {
    for (const std::size_t i : mine_density) kernel.push_back(kernel_of(density_waves[i], of.q));
  }
  std::vector<Complex> in(std::size_t length = 0) const {
    return part_of_rows(targets.values, targets.waves.size(), mine, length);
  }
  std::vector<Complex> in_occupied() const {
    return part_of_rows(occupied.values, occupied.waves.size(), mine_occupied);
  }
  std::vector<Complex> expected_here() const { return part_of_rows(expected, targets.waves.size(), mine); }

  std::vector<Miller> density_waves;
  Orbitals targets, occupied;
  DirectSum sum;
  std::vector<Complex> expected;
  std::vector<std::size_t> mine, mine_occupied, mine_density;
  std::vector<double> kernel;
};

template <class Value>
ExactExchange<Value> make(const Case& of, const Data& data, ExactExchangeOptions options) {
  options.fft.components = static_cast<int>(of.components);
  return ExactExchange<Value>(MPI_COMM_WORLD, of.shape, part(data.targets.waves, data.mine),
                              part(data.density_waves, data.mine_density), options);
}
template <class Value>
OccupiedOrbitals<Value> make_occupied(ExactExchange<Value>& exchange, const Case& of, const Data& data) {
  return exchange.occupied(part(data.occupied.waves, data.mine_occupied), data.in_occupied(), of.weights);
}

/// Checks V_x and the energy of a case.
template <class Value>
void expect_direct_sum(const Case& of, const ExactExchangeOptions& options) {
  const Data data(of);
  auto exchange = make<Value>(of, data, options);
  const auto occupied = make_occupied(exchange, of, data);
  const auto in = data.in();
  std::vector<Complex> out(in.size(), Complex(std::nan(""), 0));
  exchange.apply(occupied, data.kernel, in, out, of.targets);
  expect_close<Complex>(out, data.expected_here(), 2e-11);

  std::vector<double> weights;
  for (std::int64_t i = 0; i < of.targets; ++i) weights.push_back(i % 3 == 1 ? 0 : 1.5 - static_cast<double>(i));
  const double energy = exchange.energy(occupied, data.kernel, in, weights);
  EXPECT_NEAR(energy, data.sum.energy(data.targets, weights, data.expected), 1e-10);
}

inline std::vector<int> groups_here() {
  std::vector<int> groups;
  for (int n = 1; n <= ranks(); ++n) {
    if (ranks() % n == 0) groups.push_back(n);
  }
  return groups;
}

}  // namespace seiche::testing
