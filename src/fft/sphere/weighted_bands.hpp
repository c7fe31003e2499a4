// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selection of the bands that contribute to a density.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fft/sphere/sphere_plan.hpp"

namespace seiche {

/// Runs of bands, and the weights of these bands. Runs consist of whole bundles, so that each band keeps its group.
struct WeightedBands {
  std::vector<Range> runs;
  std::vector<double> weights;
};

/// Returns the bands without the bundles of weight 0. \pre the weights are equal on all ranks
inline WeightedBands weighted_bands(const SpherePlan& plan, std::span<const double> weights) {
  const std::int64_t bands = std::ssize(weights), bundle_size = plan.band_groups.bands_of_bundle();
  WeightedBands some;
  for (std::int64_t first = 0; first < bands; first += bundle_size) {
    const Range here{first, std::min(first + bundle_size, bands)};
    const auto low = weights.begin() + here.low, high = weights.begin() + here.high;
    if (std::all_of(low, high, [](double weight) { return weight == 0; })) continue;
    if (some.runs.empty() || some.runs.back().high != here.low) some.runs.push_back({here.low, here.low});
    some.runs.back().high = here.high;
    some.weights.insert(some.weights.end(), low, high);
  }
  return some;
}

}  // namespace seiche
