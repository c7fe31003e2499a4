// SPDX-License-Identifier: BSD-3-Clause
/// \file  The sums of all pairs of some targets: one run of a convolution, which may be started and finished later.
#pragma once

#include <span>

#include "exact_exchange/block.hpp"
#include "pair_densities/pair_run.hpp"

namespace seiche {

/// Sets the sums of a block to V_x of its targets. The destructor is collective. Without finish(), it completes the
/// messages without work.
template <class Value>
class PairSum {
 public:
  /// Collective. Starts the first round. `weights`: of all occupied orbitals. `targets`: number in all groups. \pre the
  /// first round of `occupied` has started
  PairSum(KeptSphere<Value>& pairs, const SpherePlan& orbitals, OrbitalStream<Value>& occupied,
          std::span<const double> weights, const TargetBlock<Value>& block, std::int64_t targets, ProgressReport& spent)
      : queue_(pairs.plan().queue),
        functions_(orbitals, occupied, weights, targets, block),
        run_(pairs, occupied, {.bands = targets}, Flow::convolution, grid_function(block), spent) {
    const auto fault = fault_of([&] {
      const auto bytes = static_cast<std::size_t>(orbitals.bands_here(targets) * orbitals.values()) * sizeof(Value);
      queue_.zero(block.sums(), bytes);
    });
    if (fault) run_.fail(*fault);
    run_.begin();
  }

  /// Local. Makes progress. Returns true if finish() would not wait.
  bool progress() { return run_.progress(); }
  /// Collective. Completes the sums.
  void finish() {
    run_.finish();
    queue_.drain();  // without pairs, nothing has waited for the zeros
  }

 private:
  auto bound(void (PairFunctions<Value>::*member)(std::int64_t, const Box&, std::span<const View<Value>>) const) const {
    return [this, member](std::int64_t pair, const Box& tile, std::span<const View<Value>> views) {
      (functions_.*member)(pair, tile, views);
    };
  }
  GridFunction<Value> grid_function(const TargetBlock<Value>& block) {
    fill_ = bound(&PairFunctions<Value>::fill);
    take_ = bound(&PairFunctions<Value>::take);
    start_fill_ = [this](std::int64_t pair, std::int64_t count, void* values) {
      functions_.start_fill(queue_.stream(), pair, count, values);
    };
    start_take_ = [this](std::int64_t pair, std::int64_t count, void* values) {
      functions_.start_take(queue_.stream(), pair, count, values);
    };
    return {.together = &take_,
            .by = GivenBy::library,
            .fill = &fill_,
            .fill_rows = &start_fill_,
            .take_rows = &start_take_,
            .factors = block.factors()};
  }

  const Queue& queue_;
  PairFunctions<Value> functions_;
  typename SphereFft<Value>::SpinorSpace fill_, take_;
  typename GridFunction<Value>::Rows start_fill_, start_take_;
  PairRun<Value> run_;  // last member, because it uses the others
};

}  // namespace seiche
