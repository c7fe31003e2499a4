// SPDX-License-Identifier: BSD-3-Clause
/// \file  Data of one dense transform in flight. Items of its pipeline are chunks of bundles, in their order, or in the
/// opposite order for backward transforms.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fft/dense/dense_stages.hpp"

namespace seiche {

/// Memory, arguments and pipeline of a call.
template <class Value>
class DenseWork {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using Setup = std::shared_ptr<const DenseSetup<Value>>;

  /// Collective. Creates the pipeline for a number of bundles in flight, and memory for some bundles.
  DenseWork(Setup of, int bundles, std::int64_t copies)
      : setup_(std::move(of)),
        plan_(setup_->plan),
        ends_(setup_->ends),
        pipeline_(plan_.comm, bundles * static_cast<int>(plan_.chunks.count()), plan_.options.policy.progress),
        stages_(*setup_, pipeline_),
        to_spectrum_(stages_to_spectrum()),
        to_grid_(stages_to_grid()) {
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      own_.push_back(std::make_unique<DenseMemory<Value>>(plan_));
      memory_.push_back(own_.back().get());
    }
  }
  DenseWork(const DenseWork&) = delete;
  DenseWork& operator=(const DenseWork&) = delete;

  const Setup& setup() const { return setup_; }
  DenseMemory<Value>& own_memory() const { return *own_.front(); }
  /// Sets the caller's arrays, which kernels of the queue can access.
  void set_arrays(Value* grid, Complex* spectrum) {
    grid_ = grid;
    spectrum_ = spectrum;
  }
  /// Collective. Sets the memory of fields, which bundles use cyclically.
  void set_memory(std::vector<DenseMemory<Value>*> of_fields) {
    pipeline_.drain();
    memory_ = std::move(of_fields);
  }
  /// Collective. Runs the steps before the first one that waits for an exchange.
  Pipeline::Run begin(std::int64_t bundles, bool forward, RunOptions how) {
    pipeline_.drain();
    for (DenseMemory<Value>* one : memory_) {
      if (ends_.own) {
        one->is_spectrum = forward;
      } else {
        one->become(!forward && !plan_.distribution.returns);
      }
    }
    forward_ = forward;
    return begin_run(plan_, pipeline_, forward ? to_spectrum_ : to_grid_, bundles * chunks(), how);
  }

 private:
  using Item = DenseItem<Value>;

  std::vector<Stage> stages_to_spectrum() {
    const auto here = at();
    if (plan_.distribution.returns) {
      return {stages_.rows_from_grid(here), stages_.columns_and_back(here, false), stages_.rows_to_spectrum(here)};
    }
    if (plan_.pencil) {
      return {stages_.rows_from_grid(here), stages_.middle_to_columns(here), stages_.columns_to_spectrum(here)};
    }
    return {stages_.rows_from_grid(here), stages_.columns_to_spectrum(here)};
  }
  std::vector<Stage> stages_to_grid() {
    const auto here = at();
    if (plan_.distribution.returns) {
      return {stages_.rows_from_spectrum(here), stages_.columns_and_back(here, true), stages_.rows_to_grid(here)};
    }
    if (plan_.pencil) {
      return {stages_.columns_from_spectrum(here), stages_.middle_to_rows(here), stages_.rows_to_grid(here)};
    }
    return {stages_.columns_from_spectrum(here), stages_.rows_to_grid(here)};
  }

  /// Returns the function that finds the chunk of an item.
  auto at() {
    return [this](std::int64_t item) -> Item {
      const std::int64_t chunks = this->chunks(), turn = item % chunks, bundle = item / chunks;
      DenseMemory<Value>& memory = *memory_[static_cast<std::size_t>(bundle) % memory_.size()];
      const std::int64_t chunk = forward_ ? turn : chunks - 1 - turn, fields = bundle * plan_.bundle.fields();
      if (ends_.own) return {&memory, chunk, reinterpret_cast<Value*>(memory.rows(0)), memory.columns()};
      return {&memory, chunk, grid_ + fields * ends_.next_field, spectrum_ + fields * ends_.next_spectrum,
              !plan_.distribution.returns};
    };
  }
  std::int64_t chunks() const { return static_cast<std::int64_t>(plan_.chunks.count()); }

  Setup setup_;
  const DensePlan& plan_;
  const DenseEnds& ends_;
  std::vector<std::unique_ptr<DenseMemory<Value>>> own_;
  std::vector<DenseMemory<Value>*> memory_;
  Value* grid_ = nullptr;  // the caller's arrays; not for fields
  Complex* spectrum_ = nullptr;
  bool forward_ = true;
  Pipeline pipeline_;
  DenseStages<Value> stages_;
  std::vector<Stage> to_spectrum_, to_grid_;
};

}  // namespace seiche
