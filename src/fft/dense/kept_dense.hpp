// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cached data of dense plans with the same arguments, and their working memory.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "fft/dense/field.hpp"
#include "fft/dense/operator_work.hpp"
#include "fft/plan_cache.hpp"
#include "pipeline/call_pool.hpp"

namespace seiche {

/// Data that plans with the same arguments share.
template <class Value>
class KeptDense : public CachedPlan {
 public:
  KeptDense(const Communicator& comm, const GridShape& shape, const FftOptions& options, const DenseKind& kind,
            const std::optional<DenseArrays>& callers)
      : setup(std::make_shared<DenseSetup<Value>>(comm, shape, options, kind, callers)),
        of_callers(callers.has_value()),
        arrays(callers.value_or(
            DenseArrays{.grid = consecutive(setup->plan.grid_box), .spectrum = consecutive(setup->plan.spectrum_box)})),
        report(setup->plan.report()) {}

  PlanCost cost() const override {
    const DensePlan& plan = setup->plan;
    const std::size_t lists = 4 * plan.layouts.rows.size() * sizeof(Box);
    return {static_cast<std::int64_t>(lists), report.memory, plan.copies() * (plan.pencil ? 2 : 1)};
  }
  void close() override {
    open = false;
    for_arrays_.close();
    for_fields_.close();
    for_operators_.clear();
  }
  /// Collective. Returns working data for a call with the caller's arrays.
  std::shared_ptr<DenseWork<Value>> take_for_arrays() {
    return for_arrays_.take([this] {
      return std::make_unique<DenseWork<Value>>(array_setup(), setup->plan.in_flight, setup->plan.copies());
    });
  }
  /// Collective. Returns working data for an operator.
  std::shared_ptr<OperatorWork<Value>> take_for_operator(const OperatorFields& fields) {
    return for_operators_[fields].take([&] { return std::make_unique<OperatorWork<Value>>(array_setup(), fields); });
  }
  /// Collective. Returns working data for a call with several fields, which have their own memory.
  std::shared_ptr<DenseWork<Value>> take_for_fields() {
    return for_fields_.take(
        [this] { return std::make_unique<DenseWork<Value>>(setup, setup->plan.options.policy.window, 0); });
  }

  std::shared_ptr<const DenseSetup<Value>> setup;
  bool of_callers;     // plan for the caller's arrays, without fields
  DenseArrays arrays;  // the caller's arrays, or dense arrays of one field
  FftReport report;

 private:
  /// Collective. Returns the constant data for the caller's arrays.
  const std::shared_ptr<const DenseSetup<Value>>& array_setup() {
    if (!array_setup_) {
      array_setup_ = of_callers ? setup : std::make_shared<DenseSetup<Value>>(setup->plan, ends_of(arrays));
    }
    return array_setup_;
  }

  std::shared_ptr<const DenseSetup<Value>> array_setup_;
  CallPool<DenseWork<Value>> for_arrays_, for_fields_;
  std::map<OperatorFields, CallPool<OperatorWork<Value>>> for_operators_;
};

}  // namespace seiche
