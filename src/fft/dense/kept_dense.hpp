// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cached data of dense plans with the same arguments, and their working memory.
#pragma once

#include <memory>
#include <optional>

#include "fft/dense/field.hpp"
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
    const std::size_t lists = 3 * plan.layouts.rows.size() * sizeof(Box);
    return {static_cast<std::int64_t>(lists), report.memory, plan.copies() * (plan.pencil ? 2 : 1)};
  }
  void close() override {
    open = false;
    for_arrays_.close();
    for_fields_.close();
  }
  /// Collective. Returns working data for a call with the caller's arrays.
  std::shared_ptr<DenseWork<Value>> take_for_arrays() {
    return for_arrays_.take([this] {
      if (!array_setup_) {
        array_setup_ = of_callers ? setup : std::make_shared<DenseSetup<Value>>(setup->plan, ends_of(arrays));
      }
      return std::make_unique<DenseWork<Value>>(array_setup_, setup->plan.in_flight, setup->plan.copies());
    });
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
  std::shared_ptr<const DenseSetup<Value>> array_setup_;
  CallPool<DenseWork<Value>> for_arrays_, for_fields_;
};

}  // namespace seiche
