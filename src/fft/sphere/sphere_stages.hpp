// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of a sphere's transform: coefficients -> (ranks of their sticks) -> 1D FFTs along z -> planes
/// -> 1D FFTs along y and x, and back. Slabs have one exchange after the 1D FFTs along z. Their 1D FFTs along y and x
/// run while a plane is in cache. Pencils have a second exchange between the two. Items of the pipeline are bundles of
/// one batch for each band group. From its sticks on, a band stays in its group.
#pragma once

#include <vector>

#include "fft/sphere/sphere_steps.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

/// Returns the stages of a flow. They use the arguments. `by`: who provides the function on the grid.
std::vector<Stage> sphere_stages(const SpherePlan& plan, const SphereSlots& slots, SphereSteps& steps, Flow flow,
                                 GivenBy by);

}  // namespace seiche
