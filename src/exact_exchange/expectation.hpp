// SPDX-License-Identifier: BSD-3-Clause
/// \file  Expectation values on the grid, with bits that do not depend on the number of ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "comm/agree.hpp"
#include "exact_exchange/pair_rows.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Returns the overlap of two orbitals on each row along x of this rank's part of the grid.
template <class Value>
std::vector<double> row_overlaps(const SpherePlan& plan, const Value* a, const Value* b) {
  const std::int64_t nx = plan.box.size(0), rows = plan.box.size(1) * plan.box.size(2);
  const int components = plan.options.components;
  std::vector<double> overlaps(static_cast<std::size_t>(rows));
  if (!plan.queue.on_host()) {
    const Memory there(overlaps.size() * sizeof(double), Fresh::raw, plan.queue.space());
    plan.queue.stream().line_overlaps({nx, rows, components, plan.kind.half}, a, b,
                                      reinterpret_cast<double*>(there.data()));
    plan.queue.copy(there.data(), overlaps.data(), there.size()).wait();
    return overlaps;
  }
  for (std::int64_t row = 0; row < components * rows; ++row) {
    overlaps[static_cast<std::size_t>(row % rows)] += real_overlap(a + row * nx, b + row * nx, nx);
  }
  return overlaps;
}

/// Collective. Returns <a|b> of each orbital of all groups, where a and b have the orbitals of this rank's group:
/// [orbital][component][z][y][x]. Each row along x is on one rank. Its sum reaches the other ranks without rounding,
/// because they add zeros. All ranks then add the rows in the same order.
template <class Value>
std::vector<double> expectations(const SpherePlan& plan, const Communicator& across, std::int64_t orbitals,
                                 const Value* a, const Value* b) {
  std::vector<double> values(static_cast<std::size_t>(orbitals));
  const Box& box = plan.box;
  for (std::int64_t i = 0; i < plan.bands_here(orbitals); ++i, a += plan.values(), b += plan.values()) {
    std::vector<double> rows(static_cast<std::size_t>(plan.shape.ny * plan.shape.nz));
    const std::vector<double> mine = row_overlaps(plan, a, b);
    for (std::int64_t row = 0; row < std::ssize(mine); ++row) {
      const std::int64_t z = box.axis[2].low + row / box.size(1), y = box.axis[1].low + row % box.size(1);
      rows[static_cast<std::size_t>(z * plan.shape.ny + y)] = mine[static_cast<std::size_t>(row)];
    }
    reduce_each(plan.group, rows, MPI_SUM);
    values[static_cast<std::size_t>(i * plan.band_groups.count + plan.my_group)] =
        std::accumulate(rows.begin(), rows.end(), 0.0) / static_cast<double>(plan.shape.volume());
  }
  reduce_each(across, values, MPI_SUM);
  return values;
}

}  // namespace seiche
