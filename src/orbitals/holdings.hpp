// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who holds which bands and waves: as a layout asks for it, and as it is.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "orbitals/redistribution.hpp"

namespace seiche {

/// \throws Error(bad_argument) unless the grid has `ranks` ranks and no empty axis
void require_fits(const OrbitalGrid& grid, int ranks);

/// Each rank's holding of k-point `k`. `waves` are all of it, in order; only their number counts without owners.
std::vector<Holding> holdings_of(const OrbitalLayout& layout, const OrbitalHeader& header, int k,
                                 std::span<const Miller> waves);

/// The runs of `positions` (ascending).
std::vector<Range> runs_of(const std::vector<std::int64_t>& positions);

/// Collective. All spins and k-points of `waves`, with who holds them (`from`). \throws Error unless the parts hold
/// each coefficient once, and as many values as they say
std::vector<MoveTask> tasks_of(const Orbitals& orbitals);

/// Collective. All waves of k-point `k`, in order, on the ranks that want them. `holdings` are those of one spin of it.
std::vector<Miller> all_waves(const Orbitals& orbitals, int k, const std::vector<Holding>& holdings,
                              bool wanted = true);

/// An empty part for what a rank will hold.
OrbitalPart part_for(const MoveTask& task, const Holding& holding, std::span<const Miller> waves);

/// The end of a way that lies in memory: takes from the parts, or fills them. One part for each task, null where
/// this rank has none.
std::unique_ptr<Endpoint> memory_reader(std::vector<const OrbitalPart*> parts);
std::unique_ptr<Endpoint> memory_writer(std::vector<OrbitalPart*> parts);

/// What this rank holds of a state, or null.
template <class AnyOrbitals>
auto part_of(AnyOrbitals& waves, int spin, int k) -> decltype(waves.parts.data()) {
  for (auto& part : waves.parts) {
    if (part.spin == spin && part.k == k) return &part;
  }
  return nullptr;
}

/// The part of each task's spin and k-point, null where this rank has none. Tasks and parts are in the order of spin,
/// then k; several tasks may be of one part.
template <class Part>
std::vector<Part*> parts_by_task(const std::vector<MoveTask>& tasks, std::span<Part> parts) {
  std::vector<Part*> found;
  auto next = parts.begin();
  for (const MoveTask& task : tasks) {
    const auto here = std::make_pair(task.spin, task.k);
    while (next != parts.end() && std::make_pair(next->spin, next->k) < here) ++next;
    const bool has_part = next != parts.end() && std::make_pair(next->spin, next->k) == here;
    found.push_back(has_part ? &*next : nullptr);
  }
  return found;
}

}  // namespace seiche
