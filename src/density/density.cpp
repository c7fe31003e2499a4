// SPDX-License-Identifier: BSD-3-Clause
/// \file  Comparison and integration of densities.
#include "seiche/density.hpp"

#include <algorithm>
#include <cmath>

#include "comm/agree.hpp"
#include "seiche/communicator.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

double squared(double value) { return value * value; }

/// Largest squared lengths of a - b (`difference`) and b (`value`) on this rank. Vectors consist of the components from
/// `low` to `high` (excluded).
struct Extremes {
  double difference = 0, value = 0;
};

Extremes extremes(const Density& a, const Density& b, std::size_t low, std::size_t high) {
  Extremes found;
  for (std::size_t i = 0; i < a.components[0].size(); ++i) {
    double difference = 0, value = 0;
    for (std::size_t c = low; c < high; ++c) {
      difference += squared(a.components[c][i] - b.components[c][i]);
      value += squared(b.components[c][i]);
    }
    found.difference = std::max(found.difference, difference);
    found.value = std::max(found.value, value);
  }
  return found;
}

double relative(const Communicator& comm, const Extremes& mine) {
  const double difference = std::sqrt(maximum(comm, mine.difference)), value = std::sqrt(maximum(comm, mine.value));
  return value > 0 ? difference / value : difference;
}

}  // namespace

Deviation compare(const Density& a, const Density& b) {
  const Communicator& comm = a.comm;
  together(comm, [&] {
    const std::size_t n = a.components.size(), m = b.components.size();
    require(a.grid == b.grid && a.box == b.box && (n == m || n == 1 || m == 1), Fault::bad_argument,
            "densities can be compared only if grid, distribution and components are the same");
  });
  Deviation deviation;
  deviation.density = relative(comm, extremes(a, b, 0, 1));
  const std::size_t components = std::min(a.components.size(), b.components.size());
  if (components > 1) deviation.magnetisation = relative(comm, extremes(a, b, 1, components));
  return deviation;
}

std::vector<double> integrals(const Density& density) {
  std::vector<double> results;
  const auto& axis = density.box.axis;
  for (const auto& component : density.components) {
    // Each row along x is on one rank, which sums it. All ranks then add the sums of rows in the same order.
    auto rows = made_together(
        density.comm, [&] { return std::vector<double>(static_cast<std::size_t>(density.grid.ny * density.grid.nz)); });
    auto next = component.begin();
    for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
      for (std::int64_t y = axis[1].low; y < axis[1].high; ++y, next += density.grid.nx) {
        double& row = rows[static_cast<std::size_t>(z * density.grid.ny + y)];
        for (auto value = next; value != next + density.grid.nx; ++value) row += *value;
      }
    }
    reduce_each(density.comm, rows, MPI_SUM);
    double sum = 0;
    for (const double row : rows) sum += row;
    results.push_back(sum * density.crystal.volume() / static_cast<double>(density.grid.volume()));
  }
  return results;
}

}  // namespace seiche
