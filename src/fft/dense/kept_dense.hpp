// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cached data of dense plans with the same arguments, and their working memory.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fft/dense/field.hpp"
#include "fft/plan_cache.hpp"

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
  /// Collective. Frees working memory that no call uses. Started calls free theirs at their end.
  void close() override {
    closed_ = true;
    open = false;
    std::erase_if(array_works_, [](const auto& work) { return !work->work.taken; });
  }
  /// Collective. Returns working memory for the caller's arrays, which exists until give_back().
  DenseArrayWork<Value>& take_for_arrays() {
    closed_ = false;
    for (const auto& work : array_works_) {
      if (!std::exchange(work->work.taken, true)) return *work;
    }
    if (!array_setup_) {
      array_setup_ = of_callers ? setup : std::make_shared<DenseSetup<Value>>(setup->plan, ends_of(arrays));
    }
    array_works_.push_back(std::make_unique<DenseArrayWork<Value>>(array_setup_));
    array_works_.back()->work.taken = true;
    return *array_works_.back();
  }
  /// Collective. Returns the data for a call with several fields, which exist until give_back().
  DenseWork<Value>& take_for_fields() {
    for (const auto& work : fields_works_) {
      if (!std::exchange(work->taken, true)) return *work;
    }
    fields_works_.push_back(std::make_unique<DenseWork<Value>>(*setup, setup->plan.options.policy.window));
    fields_works_.back()->taken = true;
    return *fields_works_.back();
  }
  /// Collective. Ends the use of data by a call.
  void give_back(DenseWork<Value>& work) {
    work.taken = false;
    if (closed_) close();
  }

  std::shared_ptr<const DenseSetup<Value>> setup;
  bool of_callers;     // plan for the caller's arrays, without fields
  DenseArrays arrays;  // the caller's arrays, or dense arrays of one field
  FftReport report;

 private:
  std::shared_ptr<const DenseSetup<Value>> array_setup_;
  std::vector<std::unique_ptr<DenseArrayWork<Value>>> array_works_;
  std::vector<std::unique_ptr<DenseWork<Value>>> fields_works_;
  bool closed_ = false;
};

}  // namespace seiche
