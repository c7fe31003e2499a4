// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of GridOperator objects, and their started calls.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fft/dense/dense_body.hpp"
#include "fft/dense/device_columns.hpp"
#include "fft/dense/host_columns.hpp"
#include "pipeline/started_call.hpp"
#include "seiche/grid_operator.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

template <class Value>
struct GridOperator<Value>::Body {
  std::shared_ptr<typename DenseFft<Value>::Body> fft;
  OperatorFields fields;
  std::unique_ptr<const ColumnOperation<Complex>> columns;

  const DensePlan& plan() const { return fft->plan(); }
  std::int64_t points(std::int64_t of) const { return of * plan().grid_box.volume(); }
};

/// A started call of an operator. The function that starts it is collective.
template <class Value>
class OperatorStarted final : public StartedCall {
 public:
  using Body = typename GridOperator<Value>::Body;

  OperatorStarted(std::shared_ptr<Body> body, const RunOptions& how) : body_(std::move(body)), how_(how) {
    how_.account = &body_->fft->spent;
  }

  void apply(std::span<const Value> grid, std::span<Value> result) {
    this->start([&] {
      const DensePlan& plan = body_->plan();
      together(plan.comm, "grid_operator_apply", [&](EqualArguments& same) {
        same.add("inputs", body_->fields.inputs).add("outputs", body_->fields.outputs);
        require_size("inputs", grid.size(), body_->fields.inputs);
        require_size("outputs", result.size(), body_->fields.outputs);
        grid_.emplace(plan.queue, std::span(const_cast<Value*>(grid.data()), grid.size()));
        result_.emplace(plan.queue, result);
      });
      work_ = body_->fft->kept->take_for_operator(body_->fields);
      kept_on<PlanCache>(plan.comm).use(body_->fft->kept);
      if (plan.queue.on_host()) this->watch(plan.comm, grid, result);
      run_.emplace(work_->begin(*body_->columns, grid_->data(), result_->data(), how_));
    });
  }

 private:
  void require_size(const char* name, std::size_t size, std::int64_t fields) const {
    const auto points = static_cast<std::size_t>(body_->points(fields));
    require(size == points, Fault::bad_argument,
            "grid_operator: wrong size of the {}: this rank has {} values, {} fields of {} points (got {})", name,
            points, fields, body_->points(1), size);
  }
  bool advance() override { return run_->progress(); }
  void complete() override {
    run_->finish();
    result_->take_back();
  }

  std::shared_ptr<Body> body_;
  RunOptions how_;
  std::optional<KernelArray<Value>> grid_, result_;
  std::shared_ptr<OperatorWork<Value>> work_;
  std::optional<Pipeline::Run> run_;  // last member, because it uses the others
};

}  // namespace seiche
