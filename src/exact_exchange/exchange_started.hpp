// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of exact exchange.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "exact_exchange/target_sets.hpp"
#include "pipeline/pending_work.hpp"

namespace seiche {

template <class Value>
class ExchangeStarted final : public Pending::Work {
 public:
  using Exchange = ExactExchange<Value>;

  explicit ExchangeStarted(std::shared_ptr<typename Exchange::Body> body) : body_(std::move(body)) {}

  /// Collective. Keeps an error of the arguments, or of the first transforms, for finish().
  void start(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
             const ThereAndBack<Value>& targets) {
    fault_ = fault_of([&] {
      body_->check(occupied, kernel, targets);
      watch(kernel, targets);
      run(occupied, kernel, targets);
    });
  }
  bool progress() override { return !sets_ || sets_->progress(); }
  void finish() override {
    if (fault_) throw Error(*fault_);
    sets_->finish();
  }

 private:
  const SpherePlan& plan() const { return body_->plan(); }
  void watch(std::span<const double> kernel, const ThereAndBack<Value>& targets) {
    if (!plan().queue.on_host()) return;
    inputs.watch(plan().comm, std::as_bytes(kernel));
    inputs.watch(plan().comm, input_bytes(targets.in.values, targets.out.values));
  }
  void run(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
           const ThereAndBack<Value>& targets) {
    const std::int64_t in_row = row_length(plan(), targets.in);
    const SphereBatch<Value> all{.bands = targets.bands,
                                 .out = targets.out.values.data(),
                                 .out_row = row_length(plan(), targets.out),
                                 .result = targets.result};
    const auto store = [this, all](std::int64_t first, std::int64_t count, const TargetBlock<Value>& block) {
      SphereBatch<Value> some = all;
      some.bands = count;
      some.out += rows_of(plan(), first) * some.out_row;
      some.grid = block.sums();
      body_->transform(*body_->orbitals, Flow::forward, some);
    };
    sets_.emplace(*body_, occupied.body(), kernel,
                  SphereBatch<Value>{.bands = targets.bands, .in = targets.in.values.data(), .in_row = in_row}, store);
  }

  std::shared_ptr<typename Exchange::Body> body_;
  std::optional<Error> fault_;
  std::optional<TargetSets<Value>> sets_;
};

}  // namespace seiche
