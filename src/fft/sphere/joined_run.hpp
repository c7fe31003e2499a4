// SPDX-License-Identifier: BSD-3-Clause
/// \file  A run that joins bands of two plans with the same grid. One pipeline runs the stages of both plans, so that
/// the exchanges of both are in flight.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "fft/sphere/sphere_run.hpp"

namespace seiche {

/// Returns the stages of two plans as one list, in which the stages `meets_first` and `meets_second` are one stage. It
/// does the work of the second one, and posts the exchanges of both. Stages before it are joined in pairs, the latest
/// ones first.
inline std::vector<Stage> joined_stages(std::span<const Stage> first, std::size_t meets_first,
                                        std::span<const Stage> second, std::size_t meets_second) {
  const auto stage = [](std::span<const Stage> of, std::size_t meets, std::size_t back) {
    return back <= meets && meets - back < of.size() ? &of[meets - back] : nullptr;
  };
  const auto both_post = [](const Stage* a, const Stage* b) -> Stage::Posts {
    return [a, b](std::int64_t item, int slot) {
      PostedExchanges all;
      for (const Stage* one : {a, b}) {
        const PostedExchanges of_one = one && one->posts ? one->posts(item, slot) : PostedExchanges();
        for (std::size_t i = 0; i < of_one.size(); ++i) all.add(of_one[i]);
      }
      return all;
    };
  };
  std::vector<Stage> all;
  for (std::size_t back = std::max(meets_first, meets_second); back > 0; --back) {
    const Stage *a = stage(first, meets_first, back), *b = stage(second, meets_second, back);
    const auto work = [a, b](std::int64_t item, int slot) {
      for (const Stage* one : {a, b}) {
        if (one && one->work) one->work(item, slot).wait();
      }
    };
    all.emplace_back(work, both_post(a, b));
  }
  all.emplace_back(second[meets_second].work, both_post(&first[meets_first], &second[meets_second]));
  all.insert(all.end(), second.begin() + static_cast<std::ptrdiff_t>(meets_second) + 1, second.end());
  return all;
}

/// Brings bands of the plan `from` to the grid. There they meet bands of the plan `to`, which may be the same plan.
/// With Flow::to_the_function, bands of both plans go to the grid. With Flow::from_partner, the function sets bands of
/// `to`, which go to coefficients. The destructor is collective. \pre plans on the host that can join (see
/// OrbitalPlace), with equal numbers of threads
template <class Value>
class JoinedRun {
 public:
  /// Collective. Starts a run. `flow`: of the plan `to`. `function`: of the library. `planes`: memory of each thread
  /// for the grid values of a plane, which exists as long as the run.
  JoinedRun(KeptSphere<Value>& from, KeptSphere<Value>& to, Flow flow, GridFunction<Value> function,
            ProgressReport& account, Scratch<Value>& planes)
      : to_(to),
        first_(from.take(Flow::to_the_function, GivenBy::library)),
        second_(to.take(flow, GivenBy::library)),
        pipeline_(window(from) < window(to) ? first_->pipeline : second_->pipeline),
        partner_([this, &planes](const PlaneOfItem& plane) {
          Value* const values = planes.of(plane.thread);
          first_->steps->plane_to_grid(plane, values);
          return values;
        }) {
    const auto &before = first_->stages(Flow::to_the_function, GivenBy::library),
               &after = second_->stages(flow, GivenBy::library);
    stages_ = joined_stages(before, before.size() - 1, after, flow == Flow::from_partner ? 1 : after.size() - 1);
    function.partner = &partner_;
    for (auto* work : {&first_, &second_}) (*work)->pipeline.drain();  // exchanges of earlier runs
    first_->call.begin(pipeline_, Flow::to_the_function, {.by = GivenBy::library});
    second_->call.begin(pipeline_, flow, function);
    run_.emplace(pipeline_.start(stages_, {.account = &account, .working = &to.working}));
  }
  ~JoinedRun() {
    run_.reset();
    pipeline_.drain();  // other runs use the exchanges in other pipelines
  }
  JoinedRun(const JoinedRun&) = delete;
  JoinedRun& operator=(const JoinedRun&) = delete;

  /// Collective. Adds all batches, and runs the steps before the first one that waits for an exchange. Both plans get
  /// the same numbers of bands.
  void begin(std::span<const SphereBatch<Value>> from, std::span<const SphereBatch<Value>> to) {
    std::int64_t items = 0;
    for (const auto& batch : from) first_->call.add(batch, 0);
    for (const auto& batch : to) items += second_->call.add(batch, 0);
    run_->begin(items);
  }
  bool progress() {
    to_.require_idle();
    return run_->progress();
  }
  void finish() {
    to_.require_idle();
    run_->finish();
  }

 private:
  static int window(const KeptSphere<Value>& kept) { return kept.plan().options.policy.window; }

  KeptSphere<Value>& to_;
  std::shared_ptr<SphereWork<Value>> first_, second_;
  Pipeline& pipeline_;
  typename GridFunction<Value>::Partner partner_;
  std::vector<Stage> stages_;
  std::optional<Pipeline::Run> run_;
};

}  // namespace seiche
