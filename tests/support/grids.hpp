// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small quantities on a grid, written in the formats of other programs.
#pragma once

#include <cmath>
#include <fstream>
#include <string>

#include "seiche/density.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Collective. Writes a text to a file on one rank. Returns the path.
inline std::string put(const ScratchDirectory& scratch, const std::string& name, const std::string& text) {
  if (rank() == 0) std::ofstream(scratch.file(name)) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  return scratch.file(name);
}

/// Returns the value at a point in each of these files.
inline double value_at(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<double>(100 * x + 10 * y + z) - 0.25;
}

/// Checks that a component is `factor` times value_at(), within `tolerance`.
inline void expect_values(const Density& density, std::size_t component, double factor, double tolerance) {
  const auto& [ax, ay, az] = density.box.axis;
  auto next = density.components.at(component).begin();
  for (std::int64_t z = az.low; z < az.high; ++z) {
    for (std::int64_t y = ay.low; y < ay.high; ++y) {
      for (std::int64_t x = ax.low; x < ax.high; ++x) {
        EXPECT_NEAR(*next++, factor * value_at(x, y, z), tolerance * std::abs(factor));
        compared();
      }
    }
  }
}

}  // namespace seiche::testing
