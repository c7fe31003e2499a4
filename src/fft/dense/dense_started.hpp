// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of a dense plan.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fft/dense/dense_body.hpp"
#include "pipeline/started_call.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

/// A started call. The functions that start it are collective.
template <class Value>
class DenseStarted final : public StartedCall {
 public:
  using Plan = DenseFft<Value>;
  using Complex = typename Plan::Complex;

  DenseStarted(std::shared_ptr<typename Plan::Body> body, const RunOptions& how) : body_(std::move(body)), how_(how) {
    how_.account = &body_->spent;
  }
  ~DenseStarted() override {
    run_.reset();
    if (work_ && !grid_) work_->set_memory({});
  }

  void arrays(std::span<const Value> grid, std::span<const Complex> spectrum, bool forward) {
    this->start([&] {
      const DensePlan& plan = body_->plan();
      together(plan.comm, name_of_call(forward), [&](EqualArguments&) {
        body_->require_arrays(grid, spectrum);
        grid_.emplace(plan.queue, std::span(const_cast<Value*>(grid.data()), grid.size()));
        spectrum_.emplace(plan.queue, std::span(const_cast<Complex*>(spectrum.data()), spectrum.size()));
      });
      work_ = body_->kept->take_for_arrays();
      kept_on<PlanCache>(plan.comm).use(body_->kept);
      if (plan.queue.on_host()) {
        forward ? this->watch(plan.comm, grid, spectrum) : this->watch(plan.comm, spectrum, grid);
      }
      const DenseArrays& arrays = body_->kept->arrays;
      work_->set_arrays(grid_->data() + arrays.grid.offset, spectrum_->data() + arrays.spectrum.offset);
      forward_ = forward;
      run_.emplace(work_->begin(plan.bundles, forward, how_));
    });
  }
  void fields(std::span<Field<Value>> fields, bool forward) {
    this->start([&] {
      body_->check(fields, forward, [&] {
        for (const Field<Value>& field : fields) fields_.push_back(Field<Value>::Body::of(field).shared_from_this());
      });
      work_ = body_->kept->take_for_fields();
      std::vector<DenseMemory<Value>*> memory;
      for (const auto& field : fields_) memory.push_back(&field->memory());
      work_->set_memory(std::move(memory));
      run_.emplace(work_->begin(std::ssize(fields), forward, how_));
    });
  }

 private:
  bool advance() override { return run_->progress(); }
  void complete() override {
    run_->finish();
    if (grid_) forward_ ? spectrum_->take_back() : grid_->take_back();
  }

  std::shared_ptr<typename Plan::Body> body_;
  RunOptions how_;
  bool forward_ = true;
  std::vector<std::shared_ptr<typename Field<Value>::Body>>
      fields_;  // exist until the end, also if the caller closes them
  std::optional<KernelArray<Value>> grid_;
  std::optional<KernelArray<Complex>> spectrum_;
  std::shared_ptr<DenseWork<Value>> work_;
  std::optional<Pipeline::Run> run_;  // last member, because it uses the others
};

template <class Value>
Pending DenseFft<Value>::Body::start(std::span<Field<Value>> fields, bool forward, const RunOptions& how) {
  return started<DenseStarted<Value>>(
      plan().comm, [&](auto& call) { call.fields(fields, forward); }, this->shared_from_this(), how);
}
template <class Value>
Pending DenseFft<Value>::Body::start(std::span<const Value> grid, std::span<const Complex> spectrum, bool forward,
                                     const RunOptions& how) {
  return started<DenseStarted<Value>>(
      plan().comm, [&](auto& call) { call.arrays(grid, spectrum, forward); }, this->shared_from_this(), how);
}

}  // namespace seiche
