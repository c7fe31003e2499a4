// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cuts along lines and at constant heights. Trigonometric interpolation uses the waves that the grid resolves,
/// without an FFT. Each row along x is on one rank. Sums of rows or points are fixed-point sums (WholeSums), which do
/// not depend on the order.
#include "seiche/cut.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "comm/equal_arguments.hpp"
#include "crystal/lattice.hpp"
#include "crystal/planes.hpp"
#include "density/whole_sums.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// Returns the periodic sinc function of n points at distance `x`. It is 1 at its own point, and 0 at all others.
double cardinal(double x, std::int64_t n) {
  constexpr double on_a_point = 1e-9;
  const auto points = static_cast<double>(n);
  const double u = x - points * std::round(x / points), angle = std::numbers::pi * u / points;
  if (std::abs(u - std::round(u)) < on_a_point) return std::round(u) == 0 ? 1 : 0;
  return std::sin(std::numbers::pi * u) / (points * (n % 2 == 0 ? std::tan(angle) : std::sin(angle)));
}

/// Returns the weights of n points along an axis for interpolation at `place`, in steps of the grid.
std::vector<double> shares_at(double place, std::int64_t n) {
  std::vector<double> shares;
  for (std::int64_t i = 0; i < n; ++i) shares.push_back(cardinal(place - static_cast<double>(i), n));
  return shares;
}
/// Returns the sum of the absolute values.
double size_of_all(const std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares) sum += std::abs(share);
  return sum;
}

std::array<std::int64_t, 3> points_of(const GridShape& grid) { return {grid.nx, grid.ny, grid.nz}; }

std::vector<std::string> names_of_values(std::vector<std::string> columns, std::size_t components) {
  for (std::size_t c = 0; c < components; ++c) {
    columns.push_back(c == 0 ? "value" : "component_" + std::to_string(c));
  }
  return columns;
}

/// Interpolation weights of the grid points along each axis, for one position.
using Shares = std::array<std::vector<double>, 3>;

Shares shares_at(const GridShape& grid, const Vector3& place) {
  const auto points = points_of(grid);
  Shares shares;
  for (std::size_t a = 0; a < 3; ++a) shares[a] = shares_at(place[a] * static_cast<double>(points[a]), points[a]);
  return shares;
}

/// Collective. Returns the values of a component at all positions.
std::vector<double> values_at(const Density& density, const std::vector<double>& component,
                              const std::vector<Shares>& places) {
  double most = 0;
  for (const Shares& s : places) most = std::max(most, size_of_all(s[0]) * size_of_all(s[1]) * size_of_all(s[2]));
  const auto& [ax, ay, az] = density.box.axis;
  const auto view = dense_view(component.data(), density.box);
  const double largest = 2 * most * largest_of(density.comm, component);
  return whole_sums(density.comm, places.size(), largest, [&](const auto& add) {
    for (std::size_t place = 0; place < places.size() && !density.box.empty(); ++place) {
      const auto& [sx, sy, sz] = places[place];
      for (std::int64_t z = az.low; z < az.high; ++z) {
        for (std::int64_t y = ay.low; y < ay.high; ++y) {
          double row = 0;
          for (std::int64_t x = ax.low; x < ax.high; ++x) {
            row += sx[size_of(x)] * view(x - ax.low, y - ay.low, z - az.low);
          }
          add(place, sz[size_of(z)] * sy[size_of(y)] * row);
        }
      }
    }
  });
}

/// Returns a table with the columns of `places`, followed by a column for each component.
Table table_of(std::vector<std::string> columns, const std::vector<std::vector<double>>& places,
               const std::vector<std::vector<double>>& components) {
  Table table{names_of_values(std::move(columns), components.size()), {}};
  for (std::size_t row = 0; row < places.size(); ++row) {
    table.values.insert(table.values.end(), places[row].begin(), places[row].end());
    for (const auto& values : components) table.values.push_back(values[row]);
  }
  return table;
}

}  // namespace

Table line_cut(const Density& values, const Vector3& from, const Vector3& to, int points) {
  constexpr int most_points = 1'000'000;
  const Vector3 start = cartesian(values.crystal, from), end = cartesian(values.crystal, to);
  const double length = std::hypot(end[0] - start[0], end[1] - start[1], end[2] - start[2]);
  together(values.comm, "line_cut", [&](EqualArguments& same) {
    same.add("points", points).add("from", from).add("to", to);
    require(points >= 2 && points <= most_points, Fault::bad_argument, "a line needs at least 2 points (got {})",
            points);
    require(std::isfinite(length), Fault::bad_argument, "the end points of a line must be finite");
    require(length > 0, Fault::bad_argument, "the end points of a line coincide: give two different points");
  });
  std::vector<std::vector<double>> places;
  std::vector<Shares> shares;
  together(values.comm, [&] {
    for (int i = 0; i < points; ++i) {
      const double along = static_cast<double>(i) / (points - 1);
      Vector3 x{};
      for (std::size_t a = 0; a < 3; ++a) x[a] = from[a] + along * (to[a] - from[a]);
      places.push_back({along * length, x[0], x[1], x[2]});
      shares.push_back(shares_at(values.grid, x));
    }
  });
  std::vector<std::vector<double>> components;
  for (const auto& component : values.components) components.push_back(values_at(values, component, shares));
  return made_together(values.comm, [&] { return table_of({"distance_bohr", "x", "y", "z"}, places, components); });
}

Table height_cut(const Density& values, int axis, double height) {
  together(values.comm, "height_cut", [&](EqualArguments& same) {
    same.add("axis", axis).add("height", height);
    require(axis >= 0 && axis < 3, Fault::bad_argument, "no axis {}: use 0, 1 or 2", axis);
    require(std::isfinite(height), Fault::bad_argument, "the height must be finite (got {} bohr)", height);
  });
  const auto points = points_of(values.grid);
  const auto up = size_of(axis), first = size_of(axis == 0 ? 1 : 0), second = size_of(axis == 2 ? 1 : 2);
  const double turns = height / distance_of_planes(values.crystal, up);
  const auto shares =
      made_together(values.comm, [&] { return shares_at(turns * static_cast<double>(points[up]), points[up]); });
  std::vector<std::vector<double>> components, places;
  for (const auto& component : values.components) {
    const double largest = 2 * size_of_all(shares) * largest_of(values.comm, component);
    const auto fill = [&](const auto& add) {
      each_point(values.box, [&, next = component.begin()](const std::array<std::int64_t, 3>& at) mutable {
        add(size_of(at[second] * points[first] + at[first]), shares[size_of(at[up])] * *next++);
      });
    };
    components.push_back(whole_sums(values.comm, size_of(points[first] * points[second]), largest, fill));
  }
  const Vector3 &a = values.crystal.lattice[first], &b = values.crystal.lattice[second];
  const double along = dot(a, b) / std::sqrt(dot(a, a)), across = std::sqrt(dot(b, b) - along * along);
  return made_together(values.comm, [&] {
    for (std::int64_t j = 0; j < points[second]; ++j) {
      for (std::int64_t i = 0; i < points[first]; ++i) {
        const double u = static_cast<double>(i) / static_cast<double>(points[first]),
                     v = static_cast<double>(j) / static_cast<double>(points[second]);
        places.push_back({u * std::sqrt(dot(a, a)) + v * along, v * across});
      }
    }
    return table_of({"x_bohr", "y_bohr"}, places, components);
  });
}

}  // namespace seiche
