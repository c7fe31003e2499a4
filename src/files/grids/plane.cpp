// SPDX-License-Identifier: BSD-3-Clause
#include "files/grids/plane.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "crystal/crystal.hpp"

namespace seiche {

namespace {

Vector3 plus(const Vector3& a, double s, const Vector3& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
double length(const Vector3& a) { return std::sqrt(dot(a, a)); }
Vector3 unit(const Vector3& a) {
  const double l = length(a);
  return {a[0] / l, a[1] / l, a[2] / l};
}
double cosine(const Vector3& a, const Vector3& b) { return dot(a, b) / (length(a) * length(b)); }

/// An atom with the vectors to two neighbours.
struct Bonds {
  Vector3 atom{}, first{}, second{};
  double longest = 0;
};

/// Vectors from one atom to all others nearby, the shortest first.
std::vector<Vector3> neighbours(const Crystal& crystal, const Vector3& atom) {
  std::vector<Vector3> found;
  for (const Atom& other : crystal.atoms) {
    for (int n = 0; n < 125; ++n) {
      Vector3 to = plus(other.position, -1, atom);
      const std::array<int, 3> image{n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2};
      for (std::size_t i = 0; i < 3; ++i) to = plus(to, image[i], crystal.lattice[i]);
      if (length(to) > 1e-3) found.push_back(to);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Vector3& a, const Vector3& b) { return length(a) < length(b) - 1e-6; });
  return found;
}

/// The nearest neighbour, and of those nearly as near the one most nearly opposite, but not in one line.
std::optional<Bonds> bonds_of(const Crystal& crystal, const Vector3& atom) {
  const auto around = neighbours(crystal, atom);
  std::optional<Bonds> best;
  for (const Vector3& second : around) {
    if (best && length(second) > 1.15 * length(around[0])) break;
    const double c = cosine(around[0], second);
    if (std::abs(c) > 0.99) continue;
    if (!best || c < cosine(best->first, best->second) - 1e-6) best = {atom, around[0], second, length(second)};
  }
  return best;
}

Plane plane_of_lattice(const Crystal& crystal) {
  const auto& [a, b, c] = crystal.lattice;
  Plane plane;
  plane.right = unit(a);
  plane.up = unit(plus(b, -dot(b, plane.right), plane.right));
  plane.centre = plus(plus({0, 0, 0}, 0.5, a), 0.5, b);
  plane.side = 2 * std::cbrt(crystal.volume());
  return plane;
}

constexpr int reach = 3;  // grid points on either side that a value depends on

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

/// Along one axis: the grid points near a position, and their weights, which sum to 1.
struct Stencil {
  std::array<std::int64_t, 2 * reach> index{};
  std::array<double, 2 * reach> weight{};
};

Stencil stencil(double position, std::int64_t points) {
  Stencil s;
  const double below = std::floor(position);
  double sum = 0;
  for (int i = 0; i < 2 * reach; ++i) {
    const double at = below + i - reach + 1, distance = position - at;
    const auto n = static_cast<std::size_t>(i);
    const auto wrapped = static_cast<std::int64_t>(at) % points;
    s.index[n] = wrapped < 0 ? wrapped + points : wrapped;
    s.weight[n] = sinc(distance) * sinc(distance / reach);
    sum += s.weight[n];
  }
  for (double& w : s.weight) w /= sum;
  return s;
}

/// What the points of this rank contribute to the value at `x` (units of the lattice).
double contribution(const Density& density, const Vector3& x) {
  const GridShape& g = density.grid;
  const std::array<Stencil, 3> s{stencil(x[0] * static_cast<double>(g.nx), g.nx),
                                 stencil(x[1] * static_cast<double>(g.ny), g.ny),
                                 stencil(x[2] * static_cast<double>(g.nz), g.nz)};
  const auto& axis = density.box.axis;
  const auto view = dense_view(density.components[0].data(), density.box);
  double sum = 0;
  for (std::size_t k = 0; k < 2 * reach; ++k) {
    const std::int64_t z = s[2].index[k];
    if (z < axis[2].low || z >= axis[2].high) continue;
    for (std::size_t j = 0; j < 2 * reach; ++j) {
      const std::int64_t y = s[1].index[j];
      if (y < axis[1].low || y >= axis[1].high) continue;
      double row = 0;
      for (std::size_t i = 0; i < 2 * reach; ++i) {
        row += s[0].weight[i] * view(s[0].index[i], y - axis[1].low, z - axis[2].low);
      }
      sum += s[2].weight[k] * s[1].weight[j] * row;
    }
  }
  return sum;
}

/// This rank's share of the waves that a grid can tell apart, of each pair G, -G one.
std::vector<Miller> share_of_waves(const Communicator& comm, const GridShape& grid) {
  const auto most = [](std::int64_t n) { return static_cast<std::int32_t>((n - 1) / 2); };
  const std::int32_t mx = most(grid.nx), my = most(grid.ny), mz = most(grid.nz);
  const Range mine = block(mx + 1, comm.size(), comm.rank());
  std::vector<Miller> waves;
  for (auto x = static_cast<std::int32_t>(mine.low); x < mine.high; ++x) {
    for (std::int32_t y = x == 0 ? 0 : -my; y <= my; ++y) {
      for (std::int32_t z = x == 0 && y == 0 ? 0 : -mz; z <= mz; ++z) waves.push_back({x, y, z});
    }
  }
  return waves;
}

/// The total density on a grid `factor` times as fine: exact, since nothing is added but waves of amplitude zero.
Density refined(const Density& density, std::int64_t factor) {
  const auto waves = share_of_waves(density.comm, density.grid);
  const FftOptions options{.reproducible = true};
  SphereFft<double> coarse(density.comm, density.grid, waves, options);
  const GridShape grid{factor * density.grid.nx, factor * density.grid.ny, factor * density.grid.nz};
  SphereFft<double> fine(density.comm, grid, waves, options);
  std::vector<std::complex<double>> coefficients(waves.size());
  coarse.forward(density.components[0], coefficients);
  Density result{density.comm, density.crystal, grid, fine.grid_box(), {}};
  result.components.emplace_back(static_cast<std::size_t>(result.box.volume()));
  fine.backward(coefficients, result.components[0]);
  return result;
}

/// How many times finer a grid has to be for smooth lines.
std::int64_t refinement(const Density& density) {
  constexpr double smooth = 0.12;  // bohr
  const double step = std::cbrt(density.crystal.volume() / static_cast<double>(density.grid.volume()));
  return std::clamp<std::int64_t>(std::llround(std::ceil(step / smooth)), 1, 3);
}

}  // namespace

Vector3 Plane::point(double u, double v) const { return plus(plus(centre, u * side, right), v * side, up); }

Plane plane_of_bonds(const Crystal& crystal) {
  std::optional<Bonds> best;
  for (const Atom& atom : crystal.atoms) {
    const auto bonds = bonds_of(crystal, atom.position);
    if (bonds && (!best || bonds->longest < best->longest - 1e-6)) best = bonds;
  }
  if (!best) return plane_of_lattice(crystal);
  Plane plane;
  plane.right = unit(plus(best->second, -1, best->first));
  const Vector3 middle = plus(best->first, 1, best->second);
  plane.up = unit(plus(middle, -dot(middle, plane.right), plane.right));
  plane.centre = plus(best->atom, 1.0 / 3, middle);
  plane.side = 2.1 * (length(best->first) + length(best->second));
  return plane;
}

std::vector<double> sample(const Density& given, const Plane& plane, int pixels) {
  const Communicator& comm = given.comm;
  const Density density = refined(given, refinement(given));
  const auto n = static_cast<std::size_t>(pixels);
  std::vector<double> mine(n * n), all(comm.rank() == 0 ? n * n : 0);
  for (std::size_t i = 0; i < n * n && !density.box.empty(); ++i) {
    const double u = (static_cast<double>(i % n) + 0.5) / pixels - 0.5;
    const double v = 0.5 - (static_cast<double>(i / n) + 0.5) / pixels;
    mine[i] = contribution(density, fractional(density.crystal, plane.point(u, v)));
  }
  check(MPI_Reduce(mine.data(), all.data(), pixels * pixels, MPI_DOUBLE, MPI_SUM, 0, comm.get()), "MPI_Reduce");
  return all;
}

}  // namespace seiche
