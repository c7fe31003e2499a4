// SPDX-License-Identifier: BSD-3-Clause
/// \file  Expectation values on the grid, with bits that do not depend on the number of ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "comm/check.hpp"
#include "exact_exchange/pair_rows.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Collective. Adds each element over the ranks.
inline void sum_in_place(const Communicator& comm, std::vector<double>& values) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(std::ssize(values)), MPI_DOUBLE, MPI_SUM, comm.get()),
        "MPI_Allreduce");
}

/// Collective. Returns <a|b> of each orbital of all groups, where a and b have the orbitals of this rank's group:
/// [orbital][component][z][y][x]. Each row along x is on one rank. Its sum reaches the other ranks without rounding,
/// because they add zeros. All ranks then add the rows in the same order.
template <class Value>
std::vector<double> expectations(const SpherePlan& plan, const Communicator& across, std::int64_t orbitals,
                                 const Value* a, const Value* b) {
  std::vector<double> values(static_cast<std::size_t>(orbitals));
  const Box& box = plan.box;
  for (std::int64_t i = 0; i < plan.bands_here(orbitals); ++i) {
    std::vector<double> rows(static_cast<std::size_t>(plan.shape.ny * plan.shape.nz));
    for (int c = 0; c < plan.options.components; ++c) {
      for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
        for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y, a += box.size(0), b += box.size(0)) {
          rows[static_cast<std::size_t>(z * plan.shape.ny + y)] += real_overlap(a, b, box.size(0));
        }
      }
    }
    sum_in_place(plan.group, rows);
    values[static_cast<std::size_t>(i * plan.band_groups.count + plan.my_group)] =
        std::accumulate(rows.begin(), rows.end(), 0.0) / static_cast<double>(plan.shape.volume());
  }
  sum_in_place(across, values);
  return values;
}

}  // namespace seiche
