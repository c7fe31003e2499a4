// SPDX-License-Identifier: BSD-3-Clause
#include "grid_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

namespace seiche::command {
namespace {

/// Collective. Returns the smallest and the largest value of a component.
std::array<double, 2> range_of(const Session& session, const std::vector<double>& component) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{infinity, infinity};  // the second with inverted sign
  for (const double value : component) range = {std::min(range[0], value), std::min(range[1], -value)};
  MPI_Allreduce(MPI_IN_PLACE, range.data(), 2, MPI_DOUBLE, MPI_MIN, session.comm);
  return {range[0], -range[1]};
}

}  // namespace

void add_grid_values(Report& report, const Session& session, const Density& values) {
  const auto [least, most] = range_of(session, values.components[0]);
  const auto integral = integrals(values);
  const GridShape& grid = values.grid;
  report.add("units", values.units, "units", values.units);
  report.add("grid", std::array{grid.nx, grid.ny, grid.nz}, "grid",
             fmt::format("{} x {} x {}", grid.nx, grid.ny, grid.nz));
  report.add("components", values.components.size(), "components", fmt::format("{}", values.components.size()));
  report.add("integrals", integral, "integral", fmt::format("{:.10g}", integral[0]));
  report.add("least", least, "values", fmt::format("{:.6g} to {:.6g}", least, most));
  report.add("most", most);
}

}  // namespace seiche::command
