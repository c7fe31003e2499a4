// SPDX-License-Identifier: BSD-3-Clause
/// \file  Data of one interpolation in flight: source grid -> columns along z of the common waves -> target grid.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fft/dense/row_stages.hpp"
#include "grid_interpolation/resized_columns.hpp"
#include "grid_interpolation/resized_rows.hpp"

namespace seiche {

/// One of both grids. Its plan exchanges the common waves along x and y.
template <class Value>
struct ResizedGrid {
  /// Collective.
  ResizedGrid(const Communicator& comm, const GridShape& shape, const GridShape& waves, const FftOptions& options,
              const DenseKind& kind)
      : plan(comm, shape, waves, options, kind),
        rows(made_together(plan.comm, [&] { return std::make_unique<const ResizedRows<Value>>(plan); })) {}
  ResizedGrid(const ResizedGrid&) = delete;
  ResizedGrid& operator=(const ResizedGrid&) = delete;

  DensePlan plan;
  std::unique_ptr<const ResizedRows<Value>> rows;
};

/// Both grids of an interpolation.
template <class Value>
struct InterpolatedGrids {
  using Complex = typename ComplexOf<Value>::type;

  /// Collective.
  InterpolatedGrids(const Communicator& comm, const std::array<GridShape, 2>& shapes, std::int64_t of_fields,
                    const FftOptions& options, const DenseKind& kind)
      : fields(of_fields),
        from(comm, shapes[0], common(shapes), options, kind),
        to(comm, shapes[1], common(shapes), options, kind),
        columns(
            made_together(comm, [&] { return std::make_unique<const ResizedColumns<Complex>>(from.plan, to.plan); })) {}

  std::int64_t fields;
  ResizedGrid<Value> from, to;
  std::unique_ptr<const ResizedColumns<Complex>> columns;

 private:
  static GridShape common(const std::array<GridShape, 2>& shapes) {
    const auto& [a, b] = shapes;
    return {std::min(a.nx, b.nx), std::min(a.ny, b.ny), std::min(a.nz, b.nz)};
  }
};

/// Memory, arguments and pipeline of a call. Items are the chunks of all fields. The columns of a field are complete
/// with its last chunk, and return in the opposite order.
template <class Value>
class InterpolationWork {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using Grids = std::shared_ptr<const InterpolatedGrids<Value>>;

  /// Collective.
  explicit InterpolationWork(Grids of)
      : grids_(std::move(of)),
        chunks_(static_cast<std::int64_t>(grids_->from.plan.chunks.count())),
        pipeline_(grids_->from.plan.comm, slots_for(grids_->from.plan, items()),
                  grids_->from.plan.options.policy.progress),
        from_(grids_->from.plan, *grids_->from.rows, pipeline_),
        to_(grids_->to.plan, *grids_->to.rows, pipeline_),
        all_(all_stages()) {
    for (std::int64_t f = 0; f < grids_->fields; ++f) {
      inputs_.push_back(std::make_unique<DenseMemory<Value>>(grids_->from.plan));
      outputs_.push_back(std::make_unique<DenseMemory<Value>>(grids_->to.plan));
    }
  }
  InterpolationWork(const InterpolationWork&) = delete;
  InterpolationWork& operator=(const InterpolationWork&) = delete;

  /// Collective. Runs the steps before the first one that waits for an exchange.
  Pipeline::Run begin(Value* grid, Value* result, RunOptions how) {
    pipeline_.drain();
    for (const auto& memory : outputs_) memory->become(true);
    grid_ = grid;
    result_ = result;
    return begin_run(grids_->from.plan, pipeline_, all_, items(), how);
  }

 private:
  using Item = DenseItem<Value>;
  using Stages = RowStages<Value>;

  std::vector<Stage> all_stages() {
    const typename Stages::At input = [this](std::int64_t item) { return input_of(item); };
    const typename Stages::At output = [this](std::int64_t item) { return output_of(item); };
    std::vector<Stage> all{from_.rows_from_grid(input)};
    if (grids_->from.plan.pencil) all.push_back(from_.middle_to_columns(input));
    all.push_back({[this](std::int64_t item, int) { resize(item); }, nullptr});
    all.push_back({nullptr, [this](std::int64_t item, int) { return returned(item); }});
    if (grids_->from.plan.pencil) all.push_back(to_.middle_to_rows(output));
    all.push_back(to_.rows_to_grid(output));
    return all;
  }
  void resize(std::int64_t item) {
    const Item here = input_of(item);
    if (!here.memory) return;
    const DenseMemory<Value>& into = *outputs_[static_cast<std::size_t>(item / chunks_)];
    grids_->columns->run(here.memory->columns(), into.columns(), from_.columns(here), pipeline_);
  }
  /// Returns the exchanges of a chunk whose columns return to the target grid.
  PostedExchanges returned(std::int64_t item) const {
    const Item into = output_of(item);
    if (!into.memory) return {};
    PostedExchanges posted = to_.columns_returned(into);
    Item read = into;
    read.memory = inputs_[static_cast<std::size_t>(turn_of(item) / chunks_)].get();
    const PostedExchanges released = Stages::handed_back(read, Toward::source);
    for (std::size_t i = 0; i < released.size(); ++i) posted.add(released[i]);
    return posted;
  }

  std::int64_t chunks_of_all() const { return grids_->fields * chunks_; }
  std::int64_t items() const { return chunks_of_all() + chunks_ - 1; }
  /// Returns the number of chunks that return before an item; negative if the first field is incomplete.
  std::int64_t turn_of(std::int64_t item) const { return item - (chunks_ - 1); }
  Item input_of(std::int64_t item) const {
    if (item >= chunks_of_all()) return {};
    const std::int64_t field = item / chunks_;
    return {.memory = inputs_[static_cast<std::size_t>(field)].get(),
            .chunk = item % chunks_,
            .grid = grid_ + field * grids_->from.plan.grid_box.volume()};
  }
  Item output_of(std::int64_t item) const {
    const std::int64_t turn = turn_of(item), field = turn / chunks_;
    if (turn < 0) return {};
    return {.memory = outputs_[static_cast<std::size_t>(field)].get(),
            .chunk = chunks_ - 1 - turn % chunks_,
            .grid = result_ + field * grids_->to.plan.grid_box.volume(),
            .hands_back = true};
  }

  Grids grids_;
  std::int64_t chunks_;
  std::vector<std::unique_ptr<DenseMemory<Value>>> inputs_, outputs_;  // of each field
  Value *grid_ = nullptr, *result_ = nullptr;
  Pipeline pipeline_;
  Stages from_, to_;
  std::vector<Stage> all_;
};

}  // namespace seiche
