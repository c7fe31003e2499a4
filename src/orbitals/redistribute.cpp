// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistributes wavefunctions to another layout. Holdings are computed once per k-point and used for all bands.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "comm/agree.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/schedule.hpp"
#include "seiche/orbitals.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

/// Returns the decade of a number as text, such as 1e3.
std::string decade(std::int64_t number) { return fmt::format("1e{}", std::to_string(number).size() - 1); }

/// Returns the largest number of coefficients of one band at any k-point.
std::int64_t size_of_band(const OrbitalHeader& h) {
  std::int64_t waves = 0;
  for (const KPoint& k : h.kpoints) waves = std::max(waves, k.plane_waves);
  return waves * h.spinor;
}

/// Collective. Returns the name of this redistribution in the tuning file.
std::string move_case(const Orbitals& orbitals, const OrbitalGrid& to) {
  const OrbitalHeader& h = orbitals.header;
  return tuned_case(orbitals.comm,
                    fmt::format("move of {} bands of {} waves to {}x{}x{}", decade(h.bands), decade(size_of_band(h)),
                                to.kpoints, to.bands, to.waves),
                    1);
}

/// Returns whether the memory of a round suffices for one band of each rank, in any layouts.
bool suffices(std::int64_t memory, const Orbitals& orbitals) {
  return memory >= 2 * move_stages * element_size * orbitals.comm.size() * size_of_band(orbitals.header);
}

/// Collective. Completes a policy with automatic algorithm from the tuning file.
Policy tuned(const Policy& policy, const Orbitals& orbitals, const OrbitalGrid& to) {
  if (policy.algorithm != Algorithm::automatic) return policy;
  Policy result = with(policy, tuning_of(orbitals.comm, move_case(orbitals, to)));
  // bands of the same decade may be larger than the tuned ones
  if (policy.memory == 0 && !suffices(result.memory, orbitals)) result.memory = 0;
  return result;
}

/// Returns whether each rank already has its target holding.
bool holds_already(const MoveTask& task) {
  return std::equal(task.from.begin(), task.from.end(), task.to.begin(), [](const Holding& from, const Holding& to) {
    return from.empty() ? to.empty() : from.bands == to.bands && from.runs == to.runs;
  });
}

/// Redistributes. Parts that do not move are taken from `kept`(task).
template <class Keep>
Orbitals spread(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& given, const Keep& kept) {
  require_fits(layout.grid, orbitals.comm.size());
  MoveOptions options = given;
  options.policy = tuned(given.policy, orbitals, layout.grid);
  const OrbitalHeader& h = orbitals.header;
  std::vector<MoveTask> tasks = tasks_of(orbitals);
  Orbitals result{orbitals.comm, h, {}};
  const auto me = static_cast<std::size_t>(orbitals.comm.rank());
  const std::size_t kpoints = h.kpoints.size();
  std::vector<std::vector<OrbitalPart>> parts(static_cast<std::size_t>(h.spins));
  for (std::size_t k = 0; k < kpoints; ++k) {
    const auto all = all_waves(orbitals, static_cast<int>(k), tasks[k].from);
    std::vector<Holding> to;
    together(orbitals.comm, [&] { to = holdings_of(layout, h, static_cast<int>(k), all); });
    for (std::size_t spin = 0; spin < parts.size(); ++spin) {
      MoveTask& task = tasks[spin * kpoints + k];
      task.to = to;
      if (to[me].empty()) continue;
      parts[spin].push_back(holds_already(task) ? kept(task) : part_for(task, to[me], all));
    }
  }
  std::erase_if(tasks, holds_already);
  if (tasks.empty() && options.on_progress) options.on_progress(1);
  for (auto& of_spin : parts) {
    for (OrbitalPart& part : of_spin) result.parts.push_back(std::move(part));
  }
  const auto source = memory_reader(parts_by_task(tasks, std::span(orbitals.parts)));
  const auto target = memory_writer(parts_by_task(tasks, std::span(result.parts)));
  carry(orbitals.comm, tasks, *source, *target, options);
  return result;
}

}  // namespace

Orbitals redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
  return spread(orbitals, layout, options, [&](const MoveTask& task) { return *part_of(orbitals, task.spin, task.k); });
}

Orbitals redistribute(Orbitals&& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
  return spread(orbitals, layout, options,
                [&](const MoveTask& task) { return std::move(*part_of(orbitals, task.spin, task.k)); });
}

Settings settings_of(const MoveOptions& options) { return settings_of(options.policy); }

TuneReport<MoveOptions> tune_move(const Orbitals& orbitals, const OrbitalLayout& layout, const TuneRequest& request) {
  const auto with_policies = [](const std::vector<Policy>& policies, std::int64_t memory) {
    std::vector<MoveOptions> all;
    for (const Policy& policy : policies) all.push_back({.policy = policy});
    for (MoveOptions& one : all) one.policy.memory = memory;
    return all;
  };
  const auto variations = [&](const MoveOptions& winner) {
    auto all = with_policies(varied(winner.policy, {1, 4, usual_slots, 13}), winner.policy.memory);
    for (const int part : {4, 16}) {
      if (!suffices(usual_memory / part, orbitals)) continue;
      all.push_back(winner);
      all.back().policy.memory = usual_memory / part;
    }
    return all;
  };
  const auto make_run = [&](const MoveOptions& options) -> std::function<void()> {
    return [&, options] { redistribute(orbitals, layout, options); };
  };
  require_fits(layout.grid, orbitals.comm.size());
  return tune<MoveOptions>(
      orbitals.comm,
      {move_case(orbitals, layout.grid), with_policies(first_policies(orbitals.comm, usual_slots), usual_memory),
       variations, make_run},
      request);
}

}  // namespace seiche
