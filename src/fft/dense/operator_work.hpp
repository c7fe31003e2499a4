// SPDX-License-Identifier: BSD-3-Clause
/// \file  Data of one operator in flight: inputs on the grid -> columns along z -> outputs on the grid. The spectrum
/// exists in tiles of columns only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fft/dense/column_operation.hpp"
#include "fft/dense/row_stages.hpp"

namespace seiche {

/// Memory, arguments and pipeline of a call. An input and an output share memory. Items are the chunks of all inputs,
/// then, in the opposite order, the chunks of all outputs. The last item of inputs is the first of outputs.
template <class Value>
class OperatorWork {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using Setup = std::shared_ptr<const DenseSetup<Value>>;

  /// Collective.
  OperatorWork(Setup of, const OperatorFields& fields)
      : setup_(std::move(of)),
        plan_(setup_->plan),
        fields_(fields),
        chunks_(static_cast<std::int64_t>(plan_.chunks.count())),
        pipeline_(plan_.comm, slots_for(plan_, items()), plan_.options.policy.progress),
        stages_(plan_, *setup_->steps, pipeline_),
        all_(all_stages()) {
    for (std::int64_t f = 0; f < fields.most(); ++f) {
      memory_.push_back(std::make_unique<DenseMemory<Value>>(plan_));
      columns_.push_back(memory_.back()->columns());
    }
  }
  OperatorWork(const OperatorWork&) = delete;
  OperatorWork& operator=(const OperatorWork&) = delete;

  /// Collective. Runs the steps before the first one that waits for an exchange. The kernels of the queue can access
  /// the arrays.
  Pipeline::Run begin(const ColumnOperation<Complex>& operation, Value* grid, Value* result, RunOptions how) {
    pipeline_.drain();
    for (std::int64_t f = 0; f < fields_.most(); ++f) memory_[static_cast<std::size_t>(f)]->become(only_output(f));
    operation_ = &operation;
    grid_ = grid;
    result_ = result;
    return begin_run(plan_, pipeline_, all_, items(), how);
  }

 private:
  using Item = DenseItem<Value>;
  using At = typename RowStages<Value>::At;

  std::vector<Stage> all_stages() {
    const At input = [this](std::int64_t item) { return input_of(item); };
    const At output = [this](std::int64_t item) { return output_of(item); };
    const At returned = [this](std::int64_t item) { return returned_of(item); };
    std::vector<Stage> all{stages_.rows_from_grid(input)};
    if (plan_.pencil) all.push_back(stages_.middle_to_columns(input));
    all.push_back(stages_.stage(
        input, [this](const Item& here) { return operate(here); }, [](const Item&) { return PostedExchanges(); }));
    all.push_back(stages_.stage(
        returned, [](const Item&) { return Event(); },
        [this](const Item& here) {
          return here.hands_back ? stages_.handed_back(here, Toward::source) : stages_.columns_returned(here);
        }));
    if (plan_.pencil) all.push_back(stages_.middle_to_rows(output));
    all.push_back(stages_.rows_to_grid(output));
    return all;
  }
  /// Computes the outputs when the last input has arrived.
  Event operate(const Item& here) {
    if (here.memory != memory_[static_cast<std::size_t>(fields_.inputs - 1)].get()) return {};
    return operation_->run(columns_, stages_.columns(here), pipeline_);
  }

  bool only_output(std::int64_t field) const { return field >= fields_.inputs; }
  std::int64_t last_input() const { return fields_.inputs * chunks_ - 1; }
  std::int64_t items() const { return last_input() + fields_.most() * chunks_; }
  Item input_of(std::int64_t item) const {
    if (item > last_input()) return {};
    const std::int64_t field = item / chunks_;
    return {memory_[static_cast<std::size_t>(field)].get(), item % chunks_, grid_ + field * setup_->ends.next_field};
  }
  Item output_of(std::int64_t item) const {
    const std::int64_t turn = item - last_input(), field = turn / chunks_;
    if (turn < 0 || field >= fields_.outputs) return {};
    return {.memory = memory_[static_cast<std::size_t>(field)].get(),
            .chunk = chunks_ - 1 - turn % chunks_,
            .grid = result_ + field * setup_->ends.next_field,
            .hands_back = only_output(field)};
  }
  /// Returns the chunk whose columns return to the grid. Memory of an input that is no output is handed back.
  Item returned_of(std::int64_t item) const {
    const std::int64_t turn = item - last_input(), field = turn / chunks_;
    if (turn < 0) return {};
    return {.memory = memory_[static_cast<std::size_t>(field)].get(),
            .chunk = chunks_ - 1 - turn % chunks_,
            .hands_back = field >= fields_.outputs};
  }

  Setup setup_;
  const DensePlan& plan_;
  OperatorFields fields_;
  std::int64_t chunks_;
  std::vector<std::unique_ptr<DenseMemory<Value>>> memory_;
  std::vector<Complex*> columns_;
  const ColumnOperation<Complex>* operation_ = nullptr;
  Value *grid_ = nullptr, *result_ = nullptr;
  Pipeline pipeline_;
  RowStages<Value> stages_;
  std::vector<Stage> all_;
};

}  // namespace seiche
