// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cases of pair densities, with this rank's part of their data. Expected results are sums by the definition.
#pragma once

#include <utility>
#include <vector>

#include "fft/sphere_case.hpp"
#include "seiche/pair_densities.hpp"

namespace seiche::testing {

/// A case on all ranks. `shift` moves the waves of the orbitals j.
struct PairCase {
  GridShape shape{6, 5, 8};
  int components = 1;
  double shift = 0.4;
  Spread spread = Spread::sticks;  ///< of the waves of orbitals
  std::int64_t left = 3, right = 4;
  double radius = 1;          ///< of the density waves, relative to the ellipsoid of the grid
  bool on_last_rank = false;  ///< the last rank of each group has all density waves
  int groups = 1;
};

/// Returns the density waves of this rank.
inline std::vector<Miller> density_waves_of(const PairCase& of, bool half) {
  const auto all = waves_in(of.shape, half, of.radius);
  const int members = ranks() / of.groups, me = rank() % members;
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int owner = of.on_last_rank ? members - 1 : static_cast<int>(i % static_cast<std::size_t>(members));
    if (owner == me) mine.push_back(all[i]);
  }
  return mine;
}

/// Both sets of orbitals, and the densities of all their pairs on this rank's waves.
template <class Value>
struct PairData {
  static constexpr bool half = std::is_floating_point_v<Value>;
  using Number = typename ComplexOf<Value>::type;
  static constexpr double tolerance = sizeof(Number) == sizeof(Complex) ? 1e-13 : 5e-6;

  explicit PairData(const PairCase& of)
      : waves(density_waves_of(of, half)),
        left({of.shape, of.spread, of.left, of.components}, waves_in(of.shape, half, 0.7)),
        right({of.shape, of.spread, of.right, of.components}, waves_in(of.shape, half, 0.7, half ? 0 : of.shift), 50) {
    const auto points = static_cast<std::size_t>(of.shape.volume());
    for (std::int64_t i = 0; i < of.left; ++i) {
      for (std::int64_t j = 0; j < of.right; ++j) {
        std::vector<Wide> pair(points);
        for (std::int64_t c = 0; c < of.components; ++c) {
          const auto &a = left.row(i, c), &b = right.row(j, c);
          for (std::size_t at = 0; at < points; ++at) pair[at] += std::conj(a[at]) * b[at] / double(points);
        }
        const auto spectrum = shared_fourier_sum(pair, of.shape, -1);
        for (const Miller& g : waves) densities.push_back(spectrum[index_in(of.shape, g)]);
      }
    }
  }
  /// Returns the densities of some pairs: [pair][wave].
  std::vector<Number> of_pairs(const std::vector<OrbitalPair>& pairs) const {
    std::vector<Number> some;
    for (const OrbitalPair& pair : pairs) {
      const std::size_t first = static_cast<std::size_t>(pair.i * right.bands + pair.j) * waves.size();
      for (std::size_t g = 0; g < waves.size(); ++g) some.push_back(static_cast<Number>(densities[first + g]));
    }
    return some;
  }

  std::vector<Miller> waves;  // density waves of this rank
  Bands<Value> left, right;
  std::vector<Wide> densities;  // [i][j][wave]
};

template <class Value>
PairDensities<Value> pair_densities(const PairCase& of, const PairData<Value>& data, PairDensityOptions options) {
  options.fft.components = of.components;
  options.fft.band_groups = of.groups;
  return PairDensities<Value>(MPI_COMM_WORLD, of.shape, data.waves, options);
}
template <class Value>
GridOrbitals<Value> on_the_grid(PairDensities<Value>& densities, const Bands<Value>& bands) {
  return densities.orbitals(bands.mine, bands.in, bands.bands);
}
/// Returns the pairs of this rank's group, in order.
inline std::vector<OrbitalPair> pairs_here(const PairCase& of) {
  std::vector<OrbitalPair> pairs;
  for (std::int64_t i = 0; i < of.left; ++i) {
    for (std::int64_t j = rank() / (ranks() / of.groups); j < of.right; j += of.groups) pairs.push_back({i, j});
  }
  return pairs;
}

/// Pairs and densities that a function has received.
template <class Number>
struct Received {
  std::vector<OrbitalPair> pairs;
  std::vector<Number> densities;
  std::vector<std::size_t> blocks;  // number of pairs of each

  auto function() {
    return [this](const PairBlock<Number>& block) {
      pairs.insert(pairs.end(), block.pairs.begin(), block.pairs.end());
      densities.insert(densities.end(), block.densities.begin(), block.densities.end());
      blocks.push_back(block.pairs.size());
    };
  }
  /// Checks the pairs, their order and their densities.
  template <class Value>
  void expect(const PairCase& of, const PairData<Value>& data) const {
    const auto expected = pairs_here(of);
    EXPECT_EQ(pairs.size(), expected.size());
    for (std::size_t p = 0; p < std::min(pairs.size(), expected.size()); ++p) {
      EXPECT_TRUE(pairs[p].i == expected[p].i && pairs[p].j == expected[p].j) << "pair " << p;
    }
    expect_close<Number>(densities, data.of_pairs(expected), data.tolerance);
  }
};

inline std::vector<int> dividing_groups() {
  std::vector<int> groups;
  for (int n = 1; n <= ranks(); ++n) {
    if (ranks() % n == 0) groups.push_back(n);
  }
  return groups;
}

}  // namespace seiche::testing
