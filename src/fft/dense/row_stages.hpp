// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages between the grid and columns along z: rows -> columns, and back. Pencils have columns along y
/// between.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "fft/dense/dense_memory.hpp"

namespace seiche {

/// A chunk of a bundle.
template <class Value>
struct DenseItem {
  using Complex = typename ComplexOf<Value>::type;
  const DenseMemory<Value>* memory = nullptr;  ///< null: there is nothing to do
  std::int64_t chunk = 0;
  Value* grid = nullptr;  ///< first value of the bundle at each end
  Complex* spectrum = nullptr;
  bool hands_back = false;  ///< the last stage releases the memory for the next bundle
};

/// Returns the number of slots for items that pass from one grid to columns along z and to a grid. The chunks of a
/// window of fields are in flight. There are equal numbers of items between two stages.
inline int slots_for(const DensePlan& plan, std::int64_t items) {
  const std::int64_t between = plan.pencil ? 5 : 3;
  const auto chunks = static_cast<std::int64_t>(plan.chunks.count());
  return static_cast<int>(between * (std::min(plan.options.policy.window * chunks, items) - 1) + 1);
}

/// Collective. Runs the steps before the first one that waits for an exchange. \pre the pipeline is drained
inline Pipeline::Run begin_run(const DensePlan& plan, Pipeline& pipeline, const std::vector<Stage>& stages,
                               std::int64_t items, RunOptions how) {
  if (plan.in_place && !how.started) how.ending = Ending::own;  // no errors are possible without messages
  Pipeline::Run run = pipeline.start(stages, how);
  run.begin(items);
  return run;
}

/// Creates stages. Each stage has a function that returns the chunk of an item.
template <class Value>
class RowStages {
 public:
  using Complex = typename ComplexOf<Value>::type;
  using Item = DenseItem<Value>;
  using At = std::function<Item(std::int64_t item)>;

  RowStages(const DensePlan& plan, const RowSteps<Value>& steps, Pipeline& pipeline)
      : plan_(plan), steps_(steps), pipeline_(pipeline) {}

  Stage rows_from_grid(At at) {
    return stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.rows_from_grid(here.grid, planes(here), here.memory->rows(here.chunk), pipeline_);
        },
        [](const Item& here) {
          return PostedExchanges{{first(here), Toward::target, Payload::values}};
        });
  }
  Stage rows_to_grid(At at) {
    return stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.rows_to_grid(here.memory->rows(here.chunk), planes(here), here.grid, pipeline_);
        },
        [](const Item& here) { return handed_back(here, Toward::target); });
  }
  Stage middle_to_columns(At at) {
    return stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.middle_lines(false, here.memory->middle_target(here.chunk),
                                     here.memory->middle_source(here.chunk), middle_planes(here), pipeline_);
        },
        [](const Item& here) {
          return PostedExchanges{{first(here), Toward::source, Payload::release},
                                 {last(here), Toward::target, Payload::values}};
        });
  }
  Stage middle_to_rows(At at) {
    return stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.middle_lines(true, here.memory->middle_source(here.chunk),
                                     here.memory->middle_target(here.chunk), middle_planes(here), pipeline_);
        },
        [](const Item& here) {
          return PostedExchanges{{first(here), Toward::source, Payload::values}};
        });
  }
  /// Creates a stage with any work on columns. `work` and `posts` are called with a chunk.
  template <class Work, class Posts>
  Stage stage(At at, Work work, Posts posts) {
    return {[at, work](std::int64_t item, int) {
              const Item here = at(item);
              return here.memory ? work(here) : Event();
            },
            [at, posts](std::int64_t item, int) {
              const Item here = at(item);
              return here.memory ? posts(here) : PostedExchanges();
            }};
  }
  /// Returns the exchanges that return columns along z towards the grid.
  PostedExchanges columns_returned(const Item& here) const {
    PostedExchanges posted{{last(here), Toward::source, Payload::values}};
    if (plan_.pencil) posted.add({first(here), Toward::target, Payload::release});
    return posted;
  }
  /// Returns the exchanges that release the memory for the next bundle. They are needed if ranks share memory.
  static PostedExchanges handed_back(const Item& here, Toward toward) {
    if (!here.hands_back) return {};
    return {{last(here), toward, Payload::release}};
  }
  Range columns(const Item& here) const {
    return plan_.chunks.columns(plan_.mine(plan_.layouts.columns), static_cast<std::size_t>(here.chunk));
  }

 protected:
  static Exchange* first(const Item& here) { return here.memory->first(here.chunk); }
  static Exchange* last(const Item& here) { return here.memory->last(here.chunk); }
  Range planes(const Item& here) const {
    return plan_.chunks.planes(plan_.mine(plan_.layouts.rows), static_cast<std::size_t>(here.chunk));
  }

  const DensePlan& plan_;

 private:
  std::int64_t middle_planes(const Item& here) const {
    return plan_.chunks.planes(plan_.mine(plan_.layouts.middle), static_cast<std::size_t>(here.chunk)).size();
  }

  const RowSteps<Value>& steps_;
  Pipeline& pipeline_;
};

}  // namespace seiche
