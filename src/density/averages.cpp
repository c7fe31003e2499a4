// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/averages.hpp"

#include <algorithm>
#include <cmath>

#include "comm/equal_arguments.hpp"
#include "crystal/planes.hpp"
#include "density/whole_sums.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// Collective. Returns the sums over planes of equal index along `axis`.
std::vector<double> plane_sums(const Density& values, const std::vector<double>& component, std::size_t axis) {
  const std::array<std::int64_t, 3> points{values.grid.nx, values.grid.ny, values.grid.nz};
  const double in_plane = static_cast<double>(values.grid.volume() / points[axis]);
  const double largest = 2 * in_plane * largest_of(values.comm, component);
  return whole_sums(values.comm, size_of(points[axis]), largest, [&](const auto& add) {
    each_point(values.box, [&, next = component.begin()](const std::array<std::int64_t, 3>& at) mutable {
      add(size_of(at[axis]), *next++);
    });
  });
}

/// A periodic function with equidistant values, linear between them.
class Periodic {
 public:
  explicit Periodic(std::vector<double> values) : values_(std::move(values)), integrals_(values_.size() + 1) {
    for (std::size_t i = 0; i < values_.size(); ++i) integrals_[i + 1] = integrals_[i] + (at(i) + at(i + 1)) / 2;
  }
  /// Returns the integral from a to b. The unit of length is the distance between values.
  double integral(double a, double b) const { return up_to(b) - up_to(a); }

 private:
  double at(std::size_t i) const { return values_[i % values_.size()]; }
  double up_to(double x) const {
    const auto n = static_cast<double>(values_.size());
    const double turns = std::floor(x / n), rest = x - turns * n;
    const auto step = std::min(static_cast<std::size_t>(rest), values_.size() - 1);
    const double part = rest - static_cast<double>(step), rise = at(step + 1) - at(step);
    return turns * integrals_.back() + integrals_[step] + part * at(step) + part * part * rise / 2;
  }

  std::vector<double> values_, integrals_;
};

/// Tells whether values may be subtracted. Units that a file does not specify are assumed to be equal.
bool same_units(const Density& a, const Density& b) {
  const auto said = [](const Density& values) { return !values.units.starts_with("as in "); };
  return a.units == b.units || !said(a) || !said(b);
}

}  // namespace

Table planar_average(const Density& values, int axis) {
  together(values.comm, "planar_average", [&](EqualArguments& same) {
    same.add("axis", axis);
    require(axis >= 0 && axis < 3, Fault::bad_argument, "no axis {}: use 0, 1 or 2", axis);
  });
  const auto along = static_cast<std::size_t>(axis);
  const std::int64_t points = std::array{values.grid.nx, values.grid.ny, values.grid.nz}[along];
  const double step = distance_of_planes(values.crystal, along) / static_cast<double>(points);
  Table table{{"distance_bohr"}, {}};
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < values.components.size(); ++c) {
    table.columns.push_back(c == 0 ? "average" : "component_" + std::to_string(c));
    columns.push_back(plane_sums(values, values.components[c], along));
  }
  const double in_plane = static_cast<double>(values.grid.volume() / points);
  together(values.comm, [&] {
    for (std::int64_t i = 0; i < points; ++i) {
      table.values.push_back(step * static_cast<double>(i));
      for (const auto& column : columns) table.values.push_back(column[size_of(i)] / in_plane);
    }
  });
  return table;
}

Table macroscopic_average(const Table& planar, double length) {
  const std::size_t rows = planar.rows(), columns = planar.columns.size();
  require(rows > 1 && columns > 1, Fault::bad_argument, "a planar average needs at least 2 rows and 2 columns");
  require(length > 0 && std::isfinite(length), Fault::bad_argument,
          "the length of the mean must be positive (got {} bohr): give the length of a period of the crystal", length);
  const double half = length / planar.values[columns] / 2;  // in steps
  std::vector<Periodic> functions;
  Table table{planar.columns, {}};
  for (std::size_t c = 1; c < columns; ++c) {
    table.columns.push_back(planar.columns[c] + "_macroscopic");
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) values.push_back(planar.values[i * columns + c]);
    functions.emplace_back(std::move(values));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto first = planar.values.begin() + static_cast<std::ptrdiff_t>(i * columns);
    table.values.insert(table.values.end(), first, first + static_cast<std::ptrdiff_t>(columns));
    const auto place = static_cast<double>(i);
    for (const Periodic& f : functions) {
      table.values.push_back(f.integral(place - half, place + half) / (2 * half));
    }
  }
  return table;
}

Density difference(const Density& a, const Density& b) {
  Density made{.comm = a.comm};
  together(a.comm, [&] {
    require(same_units(a, b), Fault::bad_argument,
            "values in {} cannot be subtracted from values in {}: give the same quantity", b.units, a.units);
    require(a.grid == b.grid && a.box == b.box && a.components.size() == b.components.size(), Fault::bad_argument,
            "densities can be subtracted only if grid, distribution and components are the same");
    made = a;
  });
  for (std::size_t c = 0; c < made.components.size(); ++c) {
    for (std::size_t i = 0; i < made.components[c].size(); ++i) made.components[c][i] -= b.components[c][i];
  }
  return made;
}

}  // namespace seiche
