// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/basis_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/require.hpp"

namespace seiche {

namespace {

/// Whether grids of n points along axis i are taken onto themselves by all translations of the operations.
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

}  // namespace

GridShape grid_of_basis(const OrbitalHeader& header) {
  const auto waves = sphere_of_waves(header.crystal.reciprocal(), {0, 0, 0}, header.density_cutoff, true);
  std::array<std::int64_t, 3> reach{};
  for (const Miller& g : waves) {
    reach[0] = std::max<std::int64_t>(reach[0], std::abs(g.x));
    reach[1] = std::max<std::int64_t>(reach[1], std::abs(g.y));
    reach[2] = std::max<std::int64_t>(reach[2], std::abs(g.z));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t least = 2 * reach[i] + 1;
    std::int64_t n = least;
    while (n <= 2 * least && !(is_smooth(n) && holds_translations(header.crystal, i, n))) ++n;
    for (reach[i] = n <= 2 * least ? n : least; !is_smooth(reach[i]);) ++reach[i];
  }
  return {reach[0], reach[1], reach[2]};
}

bool fits(const GridShape& grid, const Miller& g) {
  const auto inside = [](std::int64_t n, int index) { return 2 * std::abs(static_cast<std::int64_t>(index)) < n; };
  return inside(grid.nx, g.x) && inside(grid.ny, g.y) && inside(grid.nz, g.z);
}

void expect_room_for_density(const OrbitalHeader& made) {
  for (const Miller& g : sphere_of_waves(made.crystal.reciprocal(), {}, made.density_cutoff, true)) {
    require(fits(made.grid, g), Fault::bad_argument,
            "wave ({}, {}, {}) of the density, whose cut-off is {} hartree, does not fit on a grid of {} x {} x {} "
            "points; choose a larger grid (--fft)",
            g.x, g.y, g.z, made.density_cutoff, made.grid.nx, made.grid.ny, made.grid.nz);
  }
}

}  // namespace seiche
