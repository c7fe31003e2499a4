// SPDX-License-Identifier: BSD-3-Clause
/// \file  The sums of all pairs of some targets: one run of a convolution, which may be started and finished later.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "exact_exchange/block.hpp"
#include "fft/sphere/sphere_run.hpp"

namespace seiche {

/// Sets the sums of a block to V_x of its targets. The destructor is collective. Without finish(), it completes the
/// messages without work.
template <class Value>
class PairSum {
 public:
  /// Collective. Starts the first round. `targets`: number in all groups. \pre the first round of `occupied` has
  /// started
  PairSum(KeptSphere<Value>& pairs, const SpherePlan& orbitals, OccupiedStream<Value>& occupied,
          const TargetBlock<Value>& block, std::int64_t targets, ProgressReport& spent)
      : pairs_(pairs.plan()),
        occupied_(occupied),
        targets_(targets),
        functions_(orbitals, occupied, targets, block),
        run_(pairs, Flow::convolution, grid_function(block), spent, {.open = true}) {
    const auto fault = fault_of([&] {
      const auto bytes = static_cast<std::size_t>(orbitals.bands_here(targets) * orbitals.values()) * sizeof(Value);
      pairs_.queue.zero(block.sums(), bytes);
    });
    if (fault) run_.fail(*fault);
    if (rounds_left()) await_round();
    run_.begin(next_round());
  }
  ~PairSum() {
    if (finished_) return;
    run_.leave();
    static_cast<void>(fault_of([this] { finish(); }));
  }
  PairSum(const PairSum&) = delete;
  PairSum& operator=(const PairSum&) = delete;

  /// Local. Makes progress. Returns true if finish() would not wait.
  bool progress() {
    bool there = run_.progress();
    const bool arrived = occupied_.poll();
    if (rounds_left() && arrived && there) {
      run_.add(next_round());
      there = run_.progress();
    }
    return there && !rounds_left() && arrived;
  }
  /// Collective. Completes the sums.
  void finish() {
    finished_ = true;
    run_.catch_up([this] { occupied_.poll(); });
    while (rounds_left()) {
      await_round();
      for (const SphereBatch<Value>& batch : next_round()) feed(batch.bands);
    }
    if (occupied_.fault()) run_.fail(*occupied_.fault());
    run_.finish();
    pairs_.queue.drain();  // without pairs, nothing has waited for the zeros
  }

 private:
  bool rounds_left() const { return round_ * occupied_.groups() < occupied_.count(); }
  void await_round() {
    occupied_.wait([this] { run_.poll(); });
  }
  /// Returns the pairs of the next round, one batch for each occupied orbital, and starts to pass on the round after
  /// it. \pre the next round has arrived, and the pairs before it have entered the pipeline
  std::vector<SphereBatch<Value>> next_round() {
    const std::int64_t groups = occupied_.groups(), left = occupied_.count() - round_ * groups;
    const SphereBatch<Value> batch{.bands = targets_};
    if (left > 0) occupied_.start(++round_);
    return std::vector<SphereBatch<Value>>(static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, groups)), batch);
  }
  /// Adds the pairs of one occupied orbital, one bundle at a time.
  void feed(std::int64_t pairs) {
    const std::int64_t most = pairs_.band_groups.bands_of_bundle();
    for (std::int64_t first = 0; first < pairs; first += most) {
      run_.feed({.bands = std::min(most, pairs - first)});
      occupied_.poll();
    }
  }

  auto bound(void (PairFunctions<Value>::*member)(std::int64_t, const Box&, std::span<const View<Value>>) const) const {
    return [this, member](std::int64_t pair, const Box& tile, std::span<const View<Value>> views) {
      (functions_.*member)(pair, tile, views);
    };
  }
  GridFunction<Value> grid_function(const TargetBlock<Value>& block) {
    fill_ = bound(&PairFunctions<Value>::fill);
    take_ = bound(&PairFunctions<Value>::take);
    start_fill_ = [this](std::int64_t pair, std::int64_t count, void* values) {
      functions_.start_fill(pairs_.queue.stream(), pair, count, values);
    };
    start_take_ = [this](std::int64_t pair, std::int64_t count, void* values) {
      functions_.start_take(pairs_.queue.stream(), pair, count, values);
    };
    return {.together = &take_,
            .by = GivenBy::library,
            .fill = &fill_,
            .fill_rows = &start_fill_,
            .take_rows = &start_take_,
            .factors = block.factors()};
  }

  const SpherePlan& pairs_;
  OccupiedStream<Value>& occupied_;
  std::int64_t targets_, round_ = 0;  // round_: number of the next round
  PairFunctions<Value> functions_;
  typename SphereFft<Value>::SpinorSpace fill_, take_;
  typename GridFunction<Value>::Rows start_fill_, start_take_;
  bool finished_ = false;
  SphereRun<Value> run_;  // last member, because it uses the others
};

}  // namespace seiche
