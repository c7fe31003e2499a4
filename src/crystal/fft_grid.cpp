// SPDX-License-Identifier: BSD-3-Clause
#include "crystal/fft_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crystal/lattice.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns whether all translations of the operations map a grid of n points along axis i onto itself.
bool holds_translations(const Crystal& crystal, std::size_t i, std::int64_t n) {
  return std::all_of(crystal.operations.begin(), crystal.operations.end(), [&](const SymmetryOperation& s) {
    const double points = s.translation[i] * static_cast<double>(n);
    return std::abs(points - std::round(points)) < 1e-4;
  });
}

bool is_smooth(std::int64_t n) {
  for (const int factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

/// The waves of a sphere with the same index along one axis form a disc.
class Sphere {
 public:
  Sphere(const Crystal& crystal, double cutoff) : a_(crystal.lattice), b_(crystal.reciprocal()), cutoff_(cutoff) {}

  /// Returns an upper bound of the indices along axis i. G . a = 2 pi index
  double bound(std::size_t i) const { return std::sqrt(2 * cutoff_) * length(a_[i]) / (2 * std::numbers::pi); }

  /// Returns the largest index along axis i: the first disc from the pole that contains a wave.
  std::int64_t reach(std::size_t i) const {
    auto index = static_cast<std::int64_t>(bound(i) + 1e-6);
    while (index > 0 && !has_wave(i, index)) --index;
    return index;
  }

 private:
  static double length(const Vector3& v) { return std::sqrt(dot(v, v)); }

  /// Damaged cells may give huge discs. These count as discs with a wave, which only enlarges the grid.
  bool has_wave(std::size_t i, std::int64_t index) const {
    constexpr double too_many = 1e6;
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double height = 2 * std::numbers::pi * static_cast<double>(index) / length(a_[i]);
    const double radius = std::sqrt(std::max(2 * cutoff_ - height * height, 0.0));
    const Range along_j = indices(i, j, height, radius), along_k = indices(i, k, height, radius);
    if (static_cast<double>(along_j.size()) * static_cast<double>(along_k.size()) > too_many) return true;
    for (std::int64_t p = along_j.low; p < along_j.high; ++p) {
      for (std::int64_t q = along_k.low; q < along_k.high; ++q) {
        Vector3 wave{};
        wave[i] = static_cast<double>(index);
        wave[j] = static_cast<double>(p);
        wave[k] = static_cast<double>(q);
        if (is_inside(wave)) return true;
      }
    }
    return false;
  }
  /// Returns the range of indices along axis j of the waves of a disc centred at `height` along a_i.
  Range indices(std::size_t i, std::size_t j, double height, double radius) const {
    const double centre = height * dot(a_[i], a_[j]) / length(a_[i]), half = radius * length(a_[j]);
    const auto index = [](double of) { return of / (2 * std::numbers::pi); };
    return {static_cast<std::int64_t>(std::ceil(index(centre - half) - 1e-6)),
            static_cast<std::int64_t>(std::floor(index(centre + half) + 1e-6)) + 1};
  }
  /// Rounds like sphere_of_waves().
  bool is_inside(const Vector3& wave) const {
    Vector3 g{};
    for (std::size_t c = 0; c < 3; ++c) g[c] = wave[0] * b_[0][c] + wave[1] * b_[1][c] + wave[2] * b_[2][c];
    return dot(g, g) / 2 <= cutoff_;
  }

  std::array<Vector3, 3> a_, b_;
  double cutoff_;
};

}  // namespace

GridShape fft_grid(const Crystal& crystal, double density_cutoff) {
  const Sphere sphere(crystal, density_cutoff);
  std::array<std::int64_t, 3> points{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& a = crystal.lattice[i];
    require(sphere.bound(i) < 1e6, Fault::bad_file,
            "a cutoff of {} hartree with a lattice vector of {} bohr needs too fine a grid: check both values",
            density_cutoff, std::sqrt(dot(a, a)));
    const std::int64_t least = 2 * sphere.reach(i) + 1;
    std::int64_t n = least;
    while (n <= 2 * least && !(is_smooth(n) && holds_translations(crystal, i, n))) ++n;
    for (points[i] = n <= 2 * least ? n : least; !is_smooth(points[i]);) ++points[i];
  }
  return {points[0], points[1], points[2]};
}

bool fits(const GridShape& grid, const Miller& g) {
  const auto inside = [](std::int64_t n, int index) { return 2 * std::abs(static_cast<std::int64_t>(index)) < n; };
  return inside(grid.nx, g.x) && inside(grid.ny, g.y) && inside(grid.nz, g.z);
}

void expect_room_for_density(const OrbitalHeader& made) {
  for (const Miller& g : sphere_of_waves(made.crystal.reciprocal(), {}, made.density_cutoff, true)) {
    require(fits(made.grid, g), Fault::bad_argument,
            "wave ({}, {}, {}) of the density (cutoff {} hartree) does not fit a grid of {} x {} x {} points: choose a "
            "larger grid",
            g.x, g.y, g.z, made.density_cutoff, made.grid.nx, made.grid.ny, made.grid.nz);
  }
}

}  // namespace seiche
