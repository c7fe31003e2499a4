// SPDX-License-Identifier: BSD-3-Clause
/// \file  Curves over the number of ranks, both axes logarithmic, as a small SVG.
#pragma once

#include <string>
#include <vector>

namespace seiche::command {

struct Curve {
  std::string label;
  std::vector<double> values;  ///< one for each x; what is not above zero is left out
};

/// `unit`: of the values. \pre x ascends and is above zero
std::string drawn_curves(const std::string& title, const std::string& unit, const std::vector<double>& x,
                         const std::vector<Curve>& curves);

}  // namespace seiche::command
