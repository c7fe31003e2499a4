// SPDX-License-Identifier: BSD-3-Clause
#include "predict/best.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tuning/policy.hpp"

namespace seiche::predict {

namespace {

bool of_bands(const TransformCase& of) { return of.radius > 0; }

/// Returns the exchange algorithms that differ in the model: without messages, with progress in the background, and
/// without.
std::vector<Algorithm> ways_of(const Where& where) {
  if (where.nodes == 1) return {Algorithm::shared};
  return {Algorithm::pairwise, Algorithm::alltoallv};
}

std::vector<int> groups_of(const Where& where, const TransformCase& of) {
  std::vector<int> groups{1};
  for (int count = 2; of_bands(of) && count <= where.ranks; ++count) {
    const bool by_nodes = count % where.nodes == 0 || where.nodes % count == 0;
    if (where.ranks % count == 0 && by_nodes && count <= of.bands) groups.push_back(count);
  }
  return groups;
}

std::vector<FftOptions> candidates(const Where& where, const TransformCase& of) {
  std::vector<FftOptions> all;
  for (const Algorithm way : ways_of(where)) {
    const bool goes_on = goes_on_by_itself(way);
    for (const auto decomposition : {Decomposition::automatic, Decomposition::pencil, Decomposition::pencil_yz}) {
      for (const int groups : groups_of(where, of)) {
        FftOptions options;
        options.policy.algorithm = way;
        options.decomposition = decomposition;
        options.band_groups = groups;
        if (of_bands(of) || !goes_on) {
          all.push_back(options);
          continue;
        }
        for (const int chunks : {1, 2, 4, 8, 16}) {
          options.chunks.assign(static_cast<std::size_t>(chunks), 1);
          all.push_back(options);
        }
      }
    }
  }
  return all;
}

}  // namespace

Prediction predicted(const Machine& machine, const Where& where, const TransformCase& of, const FftOptions& options) {
  if (!of_bands(of)) {
    NodeWork work = work_of_pair(of.shape, of.real, where, options);
    work.agreements += of.looks_up;
    const bool overlapped = goes_on_by_itself(work.settings.policy.algorithm) && work.settings.chunks.size() > 1;
    return predicted(machine, where, work, overlapped);
  }
  const NodeWork work = work_of_band(of.shape, of.radius, where, options);
  const Policy& policy = work.settings.policy;
  const bool overlapped = goes_on_by_itself(policy.algorithm) && policy.window > 1;
  return predicted(machine, where, work, overlapped, std::ceil(static_cast<double>(of.bands) / work.units));
}

Prediction best(const Machine& machine, const Where& where, const TransformCase& of) {
  std::optional<Prediction> least;
  for (const FftOptions& options : candidates(where, of)) {
    Prediction one = predicted(machine, where, of, options);
    if (!least || one.seconds < least->seconds) least = std::move(one);
  }
  return *least;
}

Prediction own_exchange(const Machine& machine, const Where& where, const TransformCase& of) {
  FftOptions options;
  options.policy.algorithm = where.ranks > 1 ? Algorithm::alltoallv : Algorithm::automatic;
  options.decomposition = Decomposition::slab;
  options.band_groups = 1;
  TransformCase kept = of;
  kept.looks_up = false;
  return predicted(machine, where, kept, options);
}

}  // namespace seiche::predict
