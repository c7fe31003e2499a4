// SPDX-License-Identifier: BSD-3-Clause
/// \file  Curves over the number of ranks with logarithmic axes, as an SVG.
#pragma once

#include <string>
#include <vector>

namespace seiche::command {

struct Curve {
  std::string label;
  std::vector<double> values;  ///< one for each x; values that are not positive are omitted
};

/// Returns the SVG. `unit`: of the values. \pre x ascends and is positive
std::string drawn_curves(const std::string& title, const std::string& unit, const std::vector<double>& x,
                         const std::vector<Curve>& curves);

}  // namespace seiche::command
