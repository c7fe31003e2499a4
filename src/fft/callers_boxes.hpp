// SPDX-License-Identifier: BSD-3-Clause
/// \file  Real values of the grid, potentials and densities, between the boxes that a caller's code has of it and those
/// of a plan.
#pragma once

#include <span>

#include "fft/sphere_plan.hpp"

namespace seiche {

/// Collective. `values` on the caller's box of each rank, to `here` on the plan's: to every band group.
void spread(const SpherePlan& plan, const Box& box, std::span<const double> values, std::span<double> here);
/// Collective. The way back: adds to `values` what all band groups have in `here`.
void collect(const SpherePlan& plan, std::span<const double> here, const Box& box, std::span<double> values);

}  // namespace seiche
