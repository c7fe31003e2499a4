// SPDX-License-Identifier: BSD-3-Clause
/// \file  The part of reports that describes a density or potential on a grid.
#pragma once

#include "report.hpp"
#include "seiche/density.hpp"

namespace seiche::command {

/// Collective. Adds units, grid, number of components, integrals, and the range of the first component.
void add_grid_values(Report& report, const Session& session, const Density& values);

}  // namespace seiche::command
