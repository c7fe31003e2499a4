// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistributes wavefunctions to another layout. Holdings are computed once per k-point and used for all bands.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/wavefile_members.hpp"
#include "orbitals/holdings.hpp"
#include "orbitals/move_schedule.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/orbitals.hpp"
#include "support/formatted.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

namespace {

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
                    formatted("move of 1e{} bands of 1e{} waves to {}x{}x{}", decade(h.bands), decade(size_of_band(h)),
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
  Advice advice = tuning_of(orbitals.comm, move_case(orbitals, to));
  return advised(orbitals.comm, policy, advice, [&](const Settings& settings) {
    Policy merged = with(policy, settings);
    const std::int64_t memory = number_in(settings, "memory", std::numeric_limits<std::int64_t>::max());
    // bands of the same decade may be larger than the tuned ones
    if (merged.memory == 0 && suffices(memory, orbitals)) merged.memory = memory;
    require_sound(merged);
    return merged;
  });
}

/// Returns whether each rank already has its target holding.
bool holds_already(const MoveTask& task) {
  return std::equal(task.from.begin(), task.from.end(), task.to.begin(), [](const Holding& from, const Holding& to) {
    return from.empty() ? to.empty() : from.bands == to.bands && from.runs == to.runs;
  });
}

/// A redistribution in steps. `kept`(task) returns a part that does not move.
class Redistribution {
 public:
  using Keep = std::function<OrbitalPart(const MoveTask&)>;

  /// Collective. `orbitals` must outlive it.
  Redistribution(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options, const Keep& kept)
      : comm_(orbitals.comm), result_{orbitals.comm, {}, {}} {
    together(comm_, "redistribute", [&](EqualArguments& same) {
      options_ = options;
      result_.header = orbitals.header;
      require_fits(layout.grid, comm_.size());
      require_sound(options.policy);
      same.add_options(layout).add_options(options);
    });
    options_.policy = tuned(options.policy, orbitals, layout.grid);
    create_parts(orbitals, layout, kept);
    together(comm_, [&] {
      std::erase_if(tasks_, holds_already);
      if (tasks_.empty() && options_.on_progress) options_.on_progress(1);
      source_ = memory_reader(parts_by_task(tasks_, std::span(orbitals.parts)));
      target_ = memory_writer(parts_by_task(tasks_, std::span(result_.parts)));
    });
    carrier_.emplace(comm_, tasks_, *source_, *target_, options_);
    carrier_->begin();
  }
  Redistribution(const Redistribution&) = delete;
  Redistribution& operator=(const Redistribution&) = delete;

  bool progress() { return carrier_->progress(); }
  Orbitals complete() {
    carrier_->complete();
    return std::move(result_);
  }

 private:
  /// Collective. Creates the parts of the result, and the tasks.
  void create_parts(const Orbitals& orbitals, const OrbitalLayout& layout, const Keep& kept) {
    const OrbitalHeader& h = orbitals.header;
    tasks_ = tasks_of(orbitals);
    const auto me = static_cast<std::size_t>(comm_.rank());
    const std::size_t kpoints = h.kpoints.size();
    std::vector<std::optional<OrbitalPart>> parts;
    together(comm_, [&] { parts.resize(tasks_.size()); });
    for (std::size_t k = 0; k < kpoints; ++k) {
      const auto all = all_waves(orbitals, static_cast<int>(k), tasks_[k].from);
      together(comm_, [&] {
        const auto to = holdings_of(layout, h, static_cast<int>(k), all);
        for (std::size_t t = k; t < tasks_.size(); t += kpoints) {
          tasks_[t].to = to;
          if (to[me].empty()) continue;
          parts[t] = holds_already(tasks_[t]) ? kept(tasks_[t]) : part_for(tasks_[t], to[me], all);
        }
      });
    }
    together(comm_, [&] { result_.parts = present(std::move(parts)); });
  }

  Communicator comm_;
  MoveOptions options_;
  Orbitals result_;
  std::vector<MoveTask> tasks_;
  std::unique_ptr<Endpoint> source_, target_;
  std::optional<Carrier> carrier_;
};

Redistribution::Keep copies_of(const Orbitals& orbitals) {
  return [&orbitals](const MoveTask& task) { return *part_of(orbitals, task.spin, task.k); };
}

class StartedRedistribution final : public StartedCall {
 public:
  explicit StartedRedistribution(Orbitals& result) : result_(result) {}
  /// Collective.
  void begin(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
    start([&] { redistribution_.emplace(orbitals, layout, options, copies_of(orbitals)); });
  }

 private:
  bool advance() override { return redistribution_->progress(); }
  void complete() override { result_ = redistribution_->complete(); }

  Orbitals& result_;
  std::optional<Redistribution> redistribution_;
};

}  // namespace

Orbitals redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
  return Redistribution(orbitals, layout, options, copies_of(orbitals)).complete();
}

Orbitals redistribute(Orbitals&& orbitals, const OrbitalLayout& layout, const MoveOptions& options) {
  const auto taken = [&orbitals](const MoveTask& task) { return std::move(*part_of(orbitals, task.spin, task.k)); };
  return Redistribution(orbitals, layout, options, taken).complete();
}

Pending start_redistribute(const Orbitals& orbitals, const OrbitalLayout& layout, Orbitals& result,
                           const MoveOptions& options) {
  return started<StartedRedistribution>(
      orbitals.comm, [&](auto& call) { call.begin(orbitals, layout, options); }, result);
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
  together(orbitals.comm, "tune_move", [&](EqualArguments& same) {
    require_fits(layout.grid, orbitals.comm.size());
    add_request(same.add_options(layout), request);
  });
  return tune<MoveOptions>(
      orbitals.comm,
      {move_case(orbitals, layout.grid), with_policies(first_policies(orbitals.comm, usual_slots), usual_memory),
       variations, make_run},
      request);
}

}  // namespace seiche
