// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of a dense plan.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fft/dense/dense_body.hpp"
#include "pipeline/pending_work.hpp"
#include "pipeline/spent.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

/// The functions that start a call are collective. They keep an error of the arguments for finish(), which throws it on
/// all ranks.
template <class Value>
class DenseStarted final : public Pending::Work {
 public:
  using Plan = DenseFft<Value>;
  using Complex = typename Plan::Complex;

  /// `started`: the caller works between start and finish().
  DenseStarted(std::shared_ptr<typename Plan::Body> body, bool started) : body_(std::move(body)), started_(started) {}
  /// Collective if finish() was not called.
  ~DenseStarted() override {
    if (work_) give_back();
  }

  /// Starts a transform between arrays of the caller, which writes one of them.
  void arrays(std::span<const Value> grid, std::span<const Complex> spectrum, bool forward) {
    fault_ = fault_of([&] {
      together(body_->plan().comm, name_of_call(forward), [&](EqualArguments&) {
        body_->require_arrays(grid, spectrum);
        grid_.emplace(body_->plan().queue, std::span(const_cast<Value*>(grid.data()), grid.size()));
        spectrum_.emplace(body_->plan().queue, std::span(const_cast<Complex*>(spectrum.data()), spectrum.size()));
      });
      work_ = &body_->kept->take_for_arrays().work;
      kept_on<PlanCache>(body_->plan().comm).use(body_->kept);
    });
    if (fault_) return;
    if (body_->plan().queue.on_host()) {
      inputs.watch(body_->plan().comm, forward ? input_bytes(grid, spectrum) : input_bytes(spectrum, grid));
    }
    forward_ = forward;
    work_->call.grid = grid_->data() + body_->kept->arrays.grid.offset;
    work_->call.spectrum = spectrum_->data() + body_->kept->arrays.spectrum.offset;
    begin(body_->plan().bundles);
  }
  /// Starts a transform of several fields, which are transformed in one pipeline.
  void fields(std::span<Field<Value>> fields, bool forward) {
    fault_ = fault_of([&] {
      body_->check(fields, forward, [&] {
        for (const Field<Value>& field : fields) fields_.push_back(field.body().shared_from_this());
      });
      work_ = &body_->kept->take_for_fields();
    });
    if (fault_) return;
    forward_ = forward;
    for (const auto& field : fields_) work_->call.memory.push_back(&field->memory);
    begin(std::ssize(fields));
  }

  bool progress() override {
    if (!work_) return true;
    const Spent time(work_->pipeline, body_->spent);
    return work_->current->progress();
  }
  void finish() override {
    if (fault_) throw Error(*fault_);
    const auto fault = fault_of([this] {
      const Spent time(work_->pipeline, body_->spent);
      work_->finish();
    });
    give_back();
    if (fault) throw Error(*fault);
    if (grid_) forward_ ? spectrum_->take_back() : grid_->take_back();
  }

 private:
  void begin(std::int64_t bundles) {
    const Spent time(work_->pipeline, body_->spent);
    work_->begin(bundles, forward_, {.started = started_});
  }
  /// Completes the exchanges.
  void give_back() {
    work_->current.reset();
    if (!grid_) {
      work_->pipeline.drain();
      work_->call.memory.clear();
      fields_.clear();
    }
    body_->kept->give_back(*std::exchange(work_, nullptr));
  }

  std::shared_ptr<typename Plan::Body> body_;
  bool started_;
  std::optional<Error> fault_;
  std::vector<std::shared_ptr<typename Field<Value>::Body>>
      fields_;  // exist until the end, also if the caller closes them
  std::optional<KernelArray<Value>> grid_;
  std::optional<KernelArray<Complex>> spectrum_;
  DenseWork<Value>* work_ = nullptr;
  bool forward_ = true;
};

}  // namespace seiche
