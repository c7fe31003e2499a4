// SPDX-License-Identifier: BSD-3-Clause
/// \file  Planes through a crystal, and a quantity on them.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "comm/equal_arguments.hpp"
#include "crystal/lattice.hpp"
#include "density/whole_sums.hpp"
#include "seiche/cut.hpp"
#include "support/require.hpp"

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

/// The vector from an atom to another, or to an image of it.
struct Neighbour {
  int atom = 0;
  Vector3 to{};
};

/// An atom with two neighbours.
struct Bonds {
  int atom = 0;
  Neighbour first, second;
};

/// Returns the vectors from an atom to all others nearby, sorted by distance.
std::vector<Neighbour> neighbours(const Crystal& crystal, int atom) {
  std::vector<Neighbour> found;
  for (int other = 0; other < static_cast<int>(crystal.atoms.size()); ++other) {
    for (int n = 0; n < 125; ++n) {
      Vector3 to = plus(crystal.atoms[static_cast<std::size_t>(other)].position, -1,
                        crystal.atoms[static_cast<std::size_t>(atom)].position);
      const std::array<int, 3> image{n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2};
      for (std::size_t i = 0; i < 3; ++i) to = plus(to, image[i], crystal.lattice[i]);
      if (length(to) > 1e-3) found.push_back({other, to});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Neighbour& a, const Neighbour& b) { return length(a.to) < length(b.to) - 1e-6; });
  return found;
}

bool in_line(const Vector3& a, const Vector3& b) { return std::abs(cosine(a, b)) > 0.99; }

/// Returns the nearest neighbour, and among those at nearly the same distance the one most nearly opposite, but not
/// collinear.
std::optional<Bonds> bonds_of(const Crystal& crystal, int atom) {
  const auto around = neighbours(crystal, atom);
  std::optional<Bonds> best;
  for (const Neighbour& second : around) {
    const Vector3& nearest = around[0].to;
    if (best && length(second.to) > 1.15 * length(nearest)) break;
    if (in_line(nearest, second.to)) continue;
    if (!best || cosine(nearest, second.to) < cosine(nearest, best->second.to) - 1e-6) best = {atom, around[0], second};
  }
  return best;
}

std::string name_of(const Crystal& crystal, int atom) {
  return formatted("{} {}", crystal.atoms[static_cast<std::size_t>(atom)].symbol, atom + 1);
}

/// Returns the plane with the atom low in the middle and its neighbours above it, to the left and right.
Plane plane_of(const Crystal& crystal, const Bonds& bonds) {
  const auto& [atom, first, second] = bonds;
  Plane plane;
  plane.right = unit(plus(second.to, -1, first.to));
  const Vector3 middle = plus(first.to, 1, second.to);
  plane.up = unit(plus(middle, -dot(middle, plane.right), plane.right));
  plane.centre = plus(crystal.atoms[static_cast<std::size_t>(atom)].position, 1.0 / 3, middle);
  plane.side = 2.1 * (length(first.to) + length(second.to));
  plane.name = formatted("through {}, {} and {}", name_of(crystal, atom), name_of(crystal, first.atom),
                         name_of(crystal, second.atom));
  return plane;
}

Plane plane_of_lattice(const Crystal& crystal) {
  const auto& [a, b, c] = crystal.lattice;
  Plane plane;
  plane.right = unit(a);
  plane.up = unit(plus(b, -dot(b, plane.right), plane.right));
  plane.centre = plus(plus({0, 0, 0}, 0.5, a), 0.5, b);
  plane.side = 2 * std::cbrt(crystal.volume());
  plane.name = "of the first two lattice vectors";
  return plane;
}

constexpr int kernel_reach = 6;  // grid points on either side that contribute to a value

/// A window for functions without waves beyond half of the grid's limit, as on a refined grid: the exponential of a
/// semicircle (A. Barnett and others, SIAM J. Sci. Comput. 41, C479 (2019)), similar to Kaiser's.
double window(double x) {
  constexpr double steepness = kernel_reach * std::numbers::pi / 2;
  const double inside = 1 - x * x / (kernel_reach * kernel_reach);
  return inside < 0 ? 0 : std::exp(steepness * (std::sqrt(inside) - 1));
}

/// The grid points near a position along one axis, and their weights, which sum to 1.
struct Stencil {
  std::array<std::int64_t, 2 * kernel_reach> index{};
  std::array<double, 2 * kernel_reach> weight{};
};

Stencil stencil(double position, std::int64_t points) {
  Stencil s;
  const double below = std::floor(position);
  const double wave = std::sin(std::numbers::pi * (position - below));  // alternates in sign at whole steps
  double sum = 0;
  for (int i = 0; i < 2 * kernel_reach; ++i) {
    const int step = i - kernel_reach + 1;
    const double at = below + step, distance = position - at;
    const auto n = static_cast<std::size_t>(i);
    const auto wrapped = static_cast<std::int64_t>(at) % points;
    s.index[n] = wrapped < 0 ? wrapped + points : wrapped;
    const double sinc = distance == 0 ? 1 : (step % 2 == 0 ? wave : -wave) / (std::numbers::pi * distance);
    s.weight[n] = sinc * window(distance);
    sum += s.weight[n];
  }
  for (double& w : s.weight) w /= sum;
  return s;
}

/// Adds the contributions of this rank's points to the value at `x` (units of the lattice vectors): add(of a row).
template <class Add>
void contribute(const Density& density, const Vector3& x, const Add& add) {
  const GridShape& g = density.grid;
  const std::array<Stencil, 3> s{stencil(x[0] * static_cast<double>(g.nx), g.nx),
                                 stencil(x[1] * static_cast<double>(g.ny), g.ny),
                                 stencil(x[2] * static_cast<double>(g.nz), g.nz)};
  const auto& axis = density.box.axis;
  const auto view = dense_view(density.components[0].data(), density.box);
  for (std::size_t k = 0; k < 2 * kernel_reach; ++k) {
    const std::int64_t z = s[2].index[k];
    if (z < axis[2].low || z >= axis[2].high) continue;
    for (std::size_t j = 0; j < 2 * kernel_reach; ++j) {
      const std::int64_t y = s[1].index[j];
      if (y < axis[1].low || y >= axis[1].high) continue;
      std::array<double, 3> row{};  // independent sums
      for (std::size_t i = 0; i < 2 * kernel_reach; ++i) {
        row[i % 3] += s[0].weight[i] * view(s[0].index[i], y - axis[1].low, z - axis[2].low);
      }
      add(s[2].weight[k] * s[1].weight[j] * (row[0] + row[1] + row[2]));
    }
  }
}

/// Returns this rank's share of the waves that a grid represents, one of each pair G, -G.
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

/// Returns a component on a grid refined by `factor`: exact, since only waves of zero amplitude are added.
Density refined(const Density& density, std::size_t component, std::int64_t factor) {
  const Communicator& comm = density.comm;
  const auto waves = made_together(comm, [&] { return share_of_waves(comm, density.grid); });
  const FftOptions options{.reproducible = true, .band_groups = 1};
  SphereFft<double> coarse(comm, density.grid, waves, options);
  const GridShape grid{factor * density.grid.nx, factor * density.grid.ny, factor * density.grid.nz};
  SphereFft<double> fine(comm, grid, waves, options);
  std::vector<std::complex<double>> coefficients;
  Density result{.comm = comm, .grid = grid, .box = fine.grid_box()};
  together(comm, [&] {
    coefficients.resize(waves.size());
    result.crystal = density.crystal;
    result.components.emplace_back(static_cast<std::size_t>(result.box.volume()));
  });
  coarse.forward(density.components[component], coefficients);
  fine.backward(coefficients, result.components[0]);
  return result;
}

/// Returns the refinement required for smooth lines and the window above.
std::int64_t refinement(const Density& density) {
  constexpr double smooth = 0.12;  // bohr
  const double step = std::cbrt(density.crystal.volume() / static_cast<double>(density.grid.volume()));
  return std::clamp<std::int64_t>(std::llround(std::ceil(step / smooth)), 2, 3);
}

}  // namespace

Vector3 Plane::point(double u, double v) const { return plus(plus(centre, u * side, right), v * side, up); }

Plane plane_of_bonds(const Crystal& crystal) {
  std::optional<Bonds> best;
  for (int atom = 0; atom < static_cast<int>(crystal.atoms.size()); ++atom) {
    const auto bonds = bonds_of(crystal, atom);
    if (bonds && (!best || length(bonds->second.to) < length(best->second.to) - 1e-6)) best = bonds;
  }
  return best ? plane_of(crystal, *best) : plane_of_lattice(crystal);
}

Plane plane_of_atoms(const Crystal& crystal, const std::array<int, 3>& atoms) {
  for (const int atom : atoms) {
    require(atom >= 0 && atom < static_cast<int>(crystal.atoms.size()), Fault::bad_argument,
            "no atom {} among {}: give three atoms, counted from 1", atom + 1, crystal.atoms.size());
  }
  const auto around = neighbours(crystal, atoms[0]);
  const auto first =
      std::find_if(around.begin(), around.end(), [&](const Neighbour& near) { return near.atom == atoms[1]; });
  const auto second = std::find_if(around.begin(), around.end(), [&](const Neighbour& near) {
    return near.atom == atoms[2] && !in_line(first->to, near.to);
  });
  return plane_of(crystal, {atoms[0], *first, *second});
}

Plane plane_of_indices(const Crystal& crystal, const Miller& hkl, double distance) {
  require(!(hkl == Miller{}), Fault::bad_argument, "(0 0 0) is not a lattice plane: give integers such as 1,1,0");
  require(std::isfinite(distance), Fault::bad_argument,
          "the distance of a lattice plane from the origin must be finite (got {} bohr)", distance);
  const auto b = crystal.reciprocal();
  const Vector3 normal = unit(plus(plus(plus({}, hkl.x, b[0]), hkl.y, b[1]), hkl.z, b[2]));
  Plane plane;
  const auto in_plane = [&](const Vector3& a) { return plus(a, -dot(a, normal), normal); };
  double longest = 0;
  for (const Vector3& a : crystal.lattice) longest = std::max(longest, length(in_plane(a)));
  constexpr double small = 0.1;  // the first lattice vector with a part in the plane; one always has
  plane.right = unit(in_plane(*std::find_if(crystal.lattice.begin(), crystal.lattice.end(),
                                            [&](const Vector3& a) { return length(in_plane(a)) > small * longest; })));
  plane.up = cross(normal, plane.right);
  Vector3 middle{};
  for (const Vector3& a : crystal.lattice) middle = plus(middle, 0.5, a);
  plane.centre = plus(in_plane(middle), distance, normal);
  plane.side = 2 * std::cbrt(crystal.volume());
  plane.name =
      formatted("({} {} {}), {:.3f} angstrom from the origin", hkl.x, hkl.y, hkl.z, distance * bohr_in_angstrom);
  return plane;
}

std::pair<double, double> PlaneValues::bounds() const {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *most};
}

bool PlaneValues::is_noise() const {
  constexpr double next_to_nothing = 1e-4;
  const auto [least, most] = bounds();
  return std::max(std::abs(least), std::abs(most)) < next_to_nothing * largest_anywhere;
}

PlaneValues plane_values(const Density& given, const Plane& plane, int pixels, int component) {
  constexpr int most_pixels = 10000;
  together(given.comm, "plane_values", [&](EqualArguments& same) {
    same.add("component", component).add("pixels", pixels).add("centre", plane.centre);
    same.add("right", plane.right).add("up", plane.up).add("side", plane.side);
    const double sum = dot(plane.centre, plane.centre) + dot(plane.right, plane.right) + dot(plane.up, plane.up);
    require(std::isfinite(sum + plane.side), Fault::bad_argument,
            "the centre, the vectors and the side of a plane must be finite");
    require(component >= 0 && component < static_cast<int>(given.components.size()), Fault::bad_argument,
            "no component {} of {}: use 0 for the total, others for the magnetisation", component,
            given.components.size());
    require(pixels > 0 && pixels <= most_pixels, Fault::bad_argument, "invalid size of a picture ({0} x {0} points)",
            pixels);
  });
  const auto c = static_cast<std::size_t>(component), n = static_cast<std::size_t>(pixels);
  const Density density = refined(given, c, refinement(given));
  constexpr double overshoot = 16;  // ratio of values between points to values at points
  const double largest = overshoot * largest_of(given.comm, density.components[0]);
  auto values = whole_sums(given.comm, n * n, largest, [&](const auto& add) {
    for (std::size_t i = 0; i < n * n && !density.box.empty(); ++i) {
      const double u = (static_cast<double>(i % n) + 0.5) / pixels - 0.5;
      const double v = 0.5 - (static_cast<double>(i / n) + 0.5) / pixels;
      contribute(density, fractional(density.crystal, plane.point(u, v)), [&](double part) { add(i, part); });
    }
  });
  return {pixels, std::move(values), largest_of(given.comm, given.components[c])};
}

}  // namespace seiche
