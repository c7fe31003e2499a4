// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes which bands and waves each rank holds, in a layout and in existing orbitals.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "orbitals/redistribution.hpp"

namespace seiche {

/// \throws Error(bad_argument) if the grid does not have `ranks` ranks or has an empty axis
void require_fits(const OrbitalGrid& grid, int ranks);

/// Returns each rank's holding of k-point `k`. `waves` are all waves of the k-point, in order. They are used only by
/// `layout.owners`.
std::vector<Holding> holdings_of(const OrbitalLayout& layout, const OrbitalHeader& header, int k,
                                 std::span<const Miller> waves);

/// Returns the runs of consecutive `positions`, which ascend.
std::vector<Range> runs_of(const std::vector<std::int64_t>& positions);

/// Collective. Returns one task for each spin and k-point, with the holdings of all ranks in `from`.
/// \throws Error if the parts do not hold each coefficient exactly once, or have wrong sizes
std::vector<MoveTask> tasks_of(const Orbitals& orbitals);
/// Collective. Same for parts of one spin and k-point each, whose sizes are not checked.
std::vector<MoveTask> tasks_of(const Communicator& comm, const OrbitalHeader& header,
                               std::span<const OrbitalPart> parts);

/// Collective. Returns all waves of k-point `k`, in order. Ranks without `wanted` get an empty list. `holdings` are the
/// holdings of this k-point for one spin.
std::vector<Miller> all_waves(const Orbitals& orbitals, int k, const std::vector<Holding>& holdings,
                              bool wanted = true);

/// Creates the part of a holding, with its waves and zero coefficients.
OrbitalPart part_for(const MoveTask& task, const Holding& holding, std::span<const Miller> waves);
/// Returns the parts that exist.
std::vector<OrbitalPart> present(std::vector<std::optional<OrbitalPart>> parts);

/// Create an endpoint in memory, which reads from the parts or writes to them. `parts` has one entry per task. An entry
/// is null if this rank has no part.
std::unique_ptr<Endpoint> memory_reader(std::vector<const OrbitalPart*> parts);
std::unique_ptr<Endpoint> memory_writer(std::vector<OrbitalPart*> parts);

/// Returns this rank's part of a spin and k-point, or null.
template <class AnyOrbitals>
auto part_of(AnyOrbitals& waves, int spin, int k) -> decltype(waves.parts.data()) {
  for (auto& part : waves.parts) {
    if (part.spin == spin && part.k == k) return &part;
  }
  return nullptr;
}

/// Returns the part of each task's spin and k-point, null if this rank has none. Tasks and parts are ordered by spin,
/// then k. Several tasks may refer to one part.
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
