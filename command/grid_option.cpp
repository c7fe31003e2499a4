// SPDX-License-Identifier: BSD-3-Clause
#include "grid_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "seiche/error.hpp"

namespace seiche::command {

CLI::Option* GridOption::add_to(CLI::App& app) {
  return app.add_option("--grid", points, "grid points along x, y, z: 128,128,128, or one number for a cube")
      ->delimiter(',');
}

GridShape GridOption::shape() const {
  // The number of bytes of 100000^3 complex numbers fits 64-bit integers.
  const bool sound = (points.size() == 1 || points.size() == 3) &&
                     std::all_of(points.begin(), points.end(), [](auto n) { return n > 0 && n <= 100'000; });
  if (!sound) {
    throw Error(Fault::bad_argument,
                "--grid needs one or three integers from 1 to 100000: give for example 128,128,128");
  }
  return {points.front(), points[points.size() / 2], points.back()};
}

}  // namespace seiche::command
