// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of the bands that contribute to a density.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Runs of bands, and the weights of these bands. Runs consist of whole bundles, so that each band keeps its group.
struct WeightedBands {
  std::vector<Range> runs;
  std::vector<double> weights;
};

/// Collective. Returns the bands without the bundles that have weight 0 on all ranks.
inline WeightedBands weighted_bands(const SpherePlan& plan, std::span<const double> weights) {
  const std::int64_t bands = std::ssize(weights), bundle_size = plan.band_groups.bands_of_bundle();
  std::vector<std::int8_t> used(static_cast<std::size_t>(plan.band_groups.bundles(bands)));
  for (std::int64_t b = 0; b < bands; ++b)
    used[static_cast<std::size_t>(b / bundle_size)] |= weights[static_cast<std::size_t>(b)] != 0;
  const bool all = std::find(used.begin(), used.end(), 0) == used.end();
  if (bounds(plan.comm, std::int64_t{all}).second == 0) {
    check(MPI_Allreduce(MPI_IN_PLACE, used.data(), mpi_count(std::ssize(used)), MPI_INT8_T, MPI_MAX, plan.comm.get()),
          "MPI_Allreduce");
  } else {
    std::fill(used.begin(), used.end(), std::int8_t{1});
  }
  WeightedBands some;
  for (std::int64_t bundle = 0; bundle < std::ssize(used); ++bundle) {
    if (used[static_cast<std::size_t>(bundle)] == 0) continue;
    const Range here{bundle * bundle_size, std::min((bundle + 1) * bundle_size, bands)};
    if (some.runs.empty() || some.runs.back().high != here.low) some.runs.push_back({here.low, here.low});
    some.runs.back().high = here.high;
    some.weights.insert(some.weights.end(), weights.begin() + here.low, weights.begin() + here.high);
  }
  return some;
}

}  // namespace seiche
