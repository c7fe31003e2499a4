// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of a small sphere with known values on the grid, computed by the definition, and options of plans.
#pragma once

#include <algorithm>
#include <vector>

#include "support/bands.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {

constexpr GridShape shape{12, 10, 15};

/// Bands on waves that are distributed over the ranks, and their values on the whole grid by the definition.
struct Known {
  std::vector<Miller> mine;
  std::vector<Complex> in;                // this rank's coefficients
  std::vector<std::vector<Wide>> values;  // [band][point]

  Known(bool sticks, std::int64_t bands) : mine(share_of(all(), sticks)) {
    const auto waves = all();
    for (std::int64_t b = 0; b < bands; ++b) {
      const auto c = random_values(static_cast<std::int64_t>(waves.size()), 5 + static_cast<unsigned>(b));
      std::vector<Wide> box(static_cast<std::size_t>(shape.volume()));
      for (std::size_t i = 0; i < waves.size(); ++i) box[place(waves[i])] += c[i];
      values.push_back(shared_fourier_sum(box, shape, +1));
      for (const Miller& g : mine) {
        in.push_back(c[static_cast<std::size_t>(std::find(waves.begin(), waves.end(), g) - waves.begin())]);
      }
    }
  }
  static std::vector<Miller> all() { return waves_of_radius(3); }
  static std::size_t place(const Miller& g) {
    const auto wrap = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
    return static_cast<std::size_t>(wrap(g.x, shape.nx) +
                                    shape.nx * (wrap(g.y, shape.ny) + shape.ny * wrap(g.z, shape.nz)));
  }
};

/// Calls visit(index in the whole grid, index in the box) for each point of a box.
template <class Visit>
void each_point(const Box& box, const Visit& visit) {
  std::size_t at = 0;
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        visit(static_cast<std::size_t>(x + shape.nx * (y + shape.ny * z)), at++);
      }
    }
  }
}

inline std::vector<FftOptions> some_options() {
  std::vector<FftOptions> all;
  for (const auto decomposition : all_decompositions) {
    all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 3}, .decomposition = decomposition});
    all.push_back({.policy = {.window = 2}, .decomposition = decomposition, .threads = 2});
  }
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 4}, .band_groups = ranks()});
  all.push_back({.policy = {.window = 2}, .space = Space::cuda});
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 3}, .band_groups = 1, .space = Space::cuda});
  all.push_back(
      {.policy = {.algorithm = Algorithm::ialltoallv, .window = 3}, .band_groups = ranks(), .space = Space::cuda});
  return all;
}

inline double weight_of(std::size_t band) { return 0.5 + 0.25 * static_cast<double>(band); }

inline std::vector<double> weights(std::size_t bands) {
  std::vector<double> all;
  for (std::size_t b = 0; b < bands; ++b) all.push_back(weight_of(b));
  return all;
}

}  // namespace seiche::testing
