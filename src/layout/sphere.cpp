// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lists of plane waves in a sphere, and their distribution by sticks.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "seiche/layout.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using Vector = std::array<double, 3>;

/// Returns the largest |index| along axis i of waves within `radius`: G . a_i = 2 pi index.
double reach(const std::array<Vector, 3>& b, std::size_t i, double radius) {
  const Vector normal = cross(b[(i + 1) % 3], b[(i + 2) % 3]);
  return std::floor(radius * std::sqrt(dot(normal, normal)) / std::abs(dot(normal, b[i])));
}

/// Returns the largest indices of waves within `radius`. \throws Error if they are not finite, or too many
std::array<std::int32_t, 3> reaches(const std::array<Vector, 3>& b, double radius) {
  constexpr double most_along = 0x1p30, most_points = 0x1p36;  // minutes of work
  std::array<std::int32_t, 3> all{};
  double points = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const double largest = reach(b, i, radius);
    points *= 2 * largest + 1;
    require(largest <= most_along && points <= most_points, Fault::bad_argument,
            "a sphere of radius {} contains too many waves, or the reciprocal lattice vectors are not finite and "
            "independent: check the cutoff, the k-point and the lattice",
            radius);
    all[i] = static_cast<std::int32_t>(largest);
  }
  return all;
}

}  // namespace

std::vector<int> balanced_owners(std::span<const Miller> waves, int ranks) {
  require(ranks > 0, Fault::bad_argument, "waves need at least one rank (got {} ranks)", ranks);
  std::map<std::pair<int, int>, std::vector<std::size_t>> sticks;
  for (std::size_t i = 0; i < waves.size(); ++i) sticks[{waves[i].x, waves[i].y}].push_back(i);
  std::vector<const std::vector<std::size_t>*> longest_first;
  for (const auto& stick : sticks) longest_first.push_back(&stick.second);
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  std::vector<std::size_t> load(static_cast<std::size_t>(ranks), 0);
  std::vector<int> owners(waves.size());
  for (const auto* stick : longest_first) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += stick->size();
    for (const std::size_t i : *stick) owners[i] = static_cast<int>(least - load.begin());
  }
  return owners;
}

std::vector<Miller> sphere_of_waves(const std::array<Vector, 3>& b, const Vector& k, double cutoff, bool half) {
  require(cutoff >= 0 && std::isfinite(cutoff), Fault::bad_argument,
          "the cutoff of a sphere must be a finite number that is not negative (got {})", cutoff);
  const double longest_k = std::sqrt(dot(b[0], b[0])) * std::abs(k[0]) + std::sqrt(dot(b[1], b[1])) * std::abs(k[1]) +
                           std::sqrt(dot(b[2], b[2])) * std::abs(k[2]);
  const double radius = std::sqrt(2 * cutoff) + longest_k;
  const auto [mx, my, mz] = reaches(b, radius);
  std::vector<Miller> waves;
  for (std::int32_t x = half ? 0 : -mx; x <= mx; ++x) {
    for (std::int32_t y = -my; y <= my; ++y) {
      for (std::int32_t z = -mz; z <= mz; ++z) {
        Vector g{};
        for (std::size_t i = 0; i < 3; ++i) g[i] = (x + k[0]) * b[0][i] + (y + k[1]) * b[1][i] + (z + k[2]) * b[2][i];
        const Miller wave{x, y, z};
        if (dot(g, g) / 2 <= cutoff && (!half || in_half(wave))) waves.push_back(wave);
      }
    }
  }
  return waves;
}

}  // namespace seiche
