// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of dense transforms: rows -> columns, and back. Pencils have columns along y between. If the
/// spectrum has the planes of the grid, data return for the 1D FFTs along y. Items are chunks of bundles, in their
/// order, or in the opposite order for backward transforms.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/agree.hpp"
#include "fft/dense/device_steps.hpp"
#include "fft/dense/host_steps.hpp"

namespace seiche {

/// Constant data of a plan.
template <class Value>
struct DenseSetup {
  /// Collective.
  DenseSetup(const Communicator& comm, const GridShape& shape, const FftOptions& asked, const DenseKind& kind,
             const std::optional<DenseArrays>& callers = {})
      : plan(comm, shape, asked, kind, callers),
        ends(callers ? ends_of(*callers) : ends_of(plan)),
        steps(make_steps()) {}
  /// Collective. Creates the data for dense arrays of one field, with the distribution of a plan of fields.
  DenseSetup(const DensePlan& of_fields, const DenseEnds& of_arrays)
      : plan(of_fields), ends(of_arrays), steps(make_steps()) {}
  DenseSetup(const DenseSetup&) = delete;
  DenseSetup& operator=(const DenseSetup&) = delete;
  DensePlan plan;
  DenseEnds ends;
  std::unique_ptr<const DenseSteps<Value>> steps;

 private:
  std::unique_ptr<const DenseSteps<Value>> make_steps() const {
    using Steps = std::unique_ptr<const DenseSteps<Value>>;
    return made_together(plan.comm, [&]() -> Steps {
      if (plan.queue.on_host()) return std::make_unique<HostSteps<Value>>(plan, ends);
      return std::make_unique<DeviceSteps<Value>>(plan, ends);
    });
  }
};

/// Memory of a bundle, which is the memory of its exchanges: the source of the first, and the target of the last. Each
/// exchange has a part for each chunk.
template <class Value>
class DenseMemory {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// Collective.
  explicit DenseMemory(const DensePlan& plan) : queue_(plan.queue) {
    for (const DenseLeg& leg : plan.legs()) {
      exchanges_.push_back(made_together(plan.comm, [&] {
        const ExchangeRequest request = plan.request(*leg.among);
        memory_.push_back(memory_for(*leg.among, leg.parts, request, Fresh::zero));
        return make_exchanges(*leg.among, leg.parts, request, memory_.back());
      }));
    }
    columns_ = reinterpret_cast<Complex*>(last(0)->target(plan.first_source()).data);
  }
  /// Collective.
  ~DenseMemory() { queue_.drain(); }
  DenseMemory(const DenseMemory&) = delete;
  DenseMemory& operator=(const DenseMemory&) = delete;
  /// Collective. Transfers the memory to the other layout, without values.
  void become(bool spectrum) {
    if (std::exchange(is_spectrum, spectrum) == spectrum) return;
    for (const auto& part : exchanges_.back()) {
      part->start(spectrum ? Toward::target : Toward::source, Payload::release);
      part->finish();
    }
  }
  Exchange* first(std::int64_t chunk) const { return exchange(0, chunk); }
  Exchange* last(std::int64_t chunk) const { return exchange(exchanges_.size() - 1, chunk); }
  /// Returns the first element of a chunk. At the target of the last exchange, chunks are not contiguous; it returns
  /// the first element of all.
  Complex* rows(std::int64_t chunk) const { return reinterpret_cast<Complex*>(first(chunk)->source()); }
  Complex* middle_target(std::int64_t chunk) const { return reinterpret_cast<Complex*>(first(chunk)->target(0).data); }
  Complex* middle_source(std::int64_t chunk) const { return reinterpret_cast<Complex*>(last(chunk)->source()); }
  Complex* columns() const { return columns_; }

  bool is_spectrum = false;  ///< whether the memory contains, or is to contain, a spectrum

 private:
  Exchange* exchange(std::size_t e, std::int64_t chunk) const {
    return exchanges_[e][static_cast<std::size_t>(chunk)].get();
  }
  Queue queue_;
  std::vector<ExchangeMemory> memory_;
  std::vector<std::vector<std::unique_ptr<Exchange>>> exchanges_;  // [exchange][chunk]
  Complex* columns_;
};

/// Arguments of the current run: memory, which bundles use cyclically, and the caller's arrays.
template <class Value>
struct DenseCall {
  using Complex = typename ComplexOf<Value>::type;
  std::vector<DenseMemory<Value>*> memory;
  Value* grid = nullptr;  // null: values are in the plan's memory
  Complex* spectrum = nullptr;
  bool forward = true;
};

template <class Value>
class DenseStages {
 public:
  using Complex = typename ComplexOf<Value>::type;

  DenseStages(const DenseSetup<Value>& setup, const DenseCall<Value>& call, Pipeline& pipeline)
      : plan_(setup.plan), ends_(setup.ends), steps_(*setup.steps), call_(call), pipeline_(pipeline) {}

  std::vector<Stage> to_spectrum() const {
    if (plan_.distribution.returns) return {rows_from_grid(), columns_and_back(false), rows_to_spectrum()};
    if (plan_.pencil) return {rows_from_grid(), middle_to_columns(), columns_to_spectrum()};
    return {rows_from_grid(), columns_to_spectrum()};
  }
  std::vector<Stage> to_grid() const {
    if (plan_.distribution.returns) return {rows_from_spectrum(), columns_and_back(true), rows_to_grid()};
    if (plan_.pencil) return {columns_from_spectrum(), middle_to_rows(), rows_to_grid()};
    return {columns_from_spectrum(), rows_to_grid()};
  }

 private:
  Stage rows_from_grid() const {
    return {[this](std::int64_t item, int) {
              return steps_.rows_from_grid(grid(item), planes(item), memory(item).rows(chunk(item)), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::target, Payload::values}};
            }};
  }
  Stage rows_to_grid() const {
    return {[this](std::int64_t item, int) {
              return steps_.rows_to_grid(memory(item).rows(chunk(item)), planes(item), grid(item), pipeline_);
            },
            [this](std::int64_t item, int) { return handed_back(item, Toward::target); }};
  }
  Stage middle_to_columns() const {
    return {[this](std::int64_t item, int) {
              const DenseMemory<Value>& own = memory(item);
              return steps_.middle_lines(false, own.middle_target(chunk(item)), own.middle_source(chunk(item)),
                                         middle_planes(item), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::source, Payload::release},
                                     {last(item), Toward::target, Payload::values}};
            }};
  }
  Stage middle_to_rows() const {
    return {[this](std::int64_t item, int) {
              const DenseMemory<Value>& own = memory(item);
              return steps_.middle_lines(true, own.middle_source(chunk(item)), own.middle_target(chunk(item)),
                                         middle_planes(item), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::source, Payload::values}};
            }};
  }
  Stage columns_to_spectrum() const {
    return {[this](std::int64_t item, int) {
              return steps_.columns_to_spectrum(memory(item).columns(), columns(item), spectrum(item), pipeline_);
            },
            [this](std::int64_t item, int) { return handed_back(item, Toward::source); }};
  }
  Stage columns_from_spectrum() const {
    return {[this](std::int64_t item, int) {
              return steps_.columns_from_spectrum(spectrum(item), columns(item), memory(item).columns(), pipeline_);
            },
            [this](std::int64_t item, int) {
              PostedExchanges posted{{last(item), Toward::source, Payload::values}};
              if (plan_.pencil) posted.add({first(item), Toward::target, Payload::release});
              return posted;
            }};
  }

  Stage columns_and_back(bool backward) const {
    return {[this, backward](std::int64_t item, int) {
              Complex* values = memory(item).columns();
              return backward ? steps_.columns_from_spectrum(values, columns(item), values, pipeline_)
                              : steps_.columns_to_spectrum(values, columns(item), values, pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::source, Payload::values}};
            }};
  }
  Stage rows_to_spectrum() const {
    return {[this](std::int64_t item, int) {
              return steps_.rows_to_spectrum(memory(item).rows(0), planes(item), spectrum(item), pipeline_);
            },
            nullptr};
  }
  Stage rows_from_spectrum() const {
    return {[this](std::int64_t item, int) {
              return steps_.rows_from_spectrum(spectrum(item), planes(item), memory(item).rows(0), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::target, Payload::values}};
            }};
  }

  /// Returns the exchanges that release the memory for the next bundle. They are needed if ranks share memory.
  PostedExchanges handed_back(std::int64_t item, Toward toward) const {
    if (!callers() || plan_.distribution.returns) return {};
    return {{last(item), toward, Payload::release}};
  }
  bool callers() const { return !ends_.own; }
  std::int64_t chunks() const { return static_cast<std::int64_t>(plan_.chunks.count()); }
  std::int64_t chunk(std::int64_t item) const {
    const std::int64_t turn = item % chunks();
    return call_.forward ? turn : chunks() - 1 - turn;
  }
  std::int64_t fields_before(std::int64_t item) const { return item / chunks() * plan_.bundle.fields(); }
  const DenseMemory<Value>& memory(std::int64_t item) const {
    return *call_.memory[static_cast<std::size_t>(item / chunks()) % call_.memory.size()];
  }
  Exchange* first(std::int64_t item) const { return memory(item).first(chunk(item)); }
  Exchange* last(std::int64_t item) const { return memory(item).last(chunk(item)); }
  Value* grid(std::int64_t item) const {
    if (!callers()) return reinterpret_cast<Value*>(memory(item).rows(0));
    return call_.grid + fields_before(item) * ends_.next_field;
  }
  Complex* spectrum(std::int64_t item) const {
    if (!callers()) return memory(item).columns();
    return call_.spectrum + fields_before(item) * ends_.next_spectrum;
  }
  Range planes(std::int64_t item) const {
    return plan_.chunks.planes(plan_.mine(plan_.layouts.rows), static_cast<std::size_t>(chunk(item)));
  }
  std::int64_t middle_planes(std::int64_t item) const {
    return plan_.chunks.planes(plan_.mine(plan_.layouts.middle), static_cast<std::size_t>(chunk(item))).size();
  }
  Range columns(std::int64_t item) const {
    return plan_.chunks.columns(plan_.mine(plan_.layouts.columns), static_cast<std::size_t>(chunk(item)));
  }
  const DensePlan& plan_;
  const DenseEnds& ends_;
  const DenseSteps<Value>& steps_;
  const DenseCall<Value>& call_;
  Pipeline& pipeline_;
};

/// Data that runs change, besides memory: current call and pipeline.
template <class Value>
struct DenseWork {
  /// Creates the pipeline for a number of bundles in flight.
  DenseWork(const DenseSetup<Value>& of, int bundles)
      : plan(of.plan),
        own(of.ends.own),
        pipeline(plan.comm, bundles * static_cast<int>(plan.chunks.count()), plan.options.policy.progress),
        stages(of, call, pipeline),
        to_spectrum(stages.to_spectrum()),
        to_grid(stages.to_grid()) {}
  DenseWork(const DenseWork&) = delete;
  DenseWork& operator=(const DenseWork&) = delete;

  /// Collective.
  void run(std::int64_t bundles, bool forward, const RunOptions& how = {}) {
    begin(bundles, forward, how);
    finish();
  }
  /// Collective. Runs the steps before the first one that waits for an exchange.
  void begin(std::int64_t bundles, bool forward, RunOptions how = {}) {
    if (plan.in_place && !how.started) how.ending = Ending::own;  // no errors are possible without messages
    pipeline.drain();
    for (DenseMemory<Value>* memory : call.memory) {
      if (own) {
        memory->is_spectrum = forward;
      } else {
        memory->become(!forward && !plan.distribution.returns);
      }
    }
    call.forward = forward;
    current.emplace(pipeline.start(forward ? to_spectrum : to_grid, how));
    current->begin(bundles * static_cast<std::int64_t>(plan.chunks.count()));
  }
  /// Collective. Completes the run.
  void finish() {
    Pipeline::Run last = std::move(*current);
    current.reset();
    last.finish();
  }

  const DensePlan& plan;
  bool own;  // values stay in the plan's memory; a run changes their kind
  DenseCall<Value> call;
  Pipeline pipeline;
  DenseStages<Value> stages;
  std::vector<Stage> to_spectrum, to_grid;
  std::optional<Pipeline::Run> current;
  bool taken = false;  // used by a call
};

/// Working memory for transforms of the caller's arrays.
template <class Value>
struct DenseArrayWork {
  /// Collective.
  explicit DenseArrayWork(std::shared_ptr<const DenseSetup<Value>> of)
      : setup(std::move(of)), work(*setup, setup->plan.in_flight) {
    for (std::int64_t copy = 0; copy < setup->plan.copies(); ++copy) {
      memory.push_back(std::make_unique<DenseMemory<Value>>(setup->plan));
      work.call.memory.push_back(memory.back().get());
    }
  }
  ~DenseArrayWork() { work.pipeline.drain(); }
  DenseArrayWork(const DenseArrayWork&) = delete;
  DenseArrayWork& operator=(const DenseArrayWork&) = delete;

  std::shared_ptr<const DenseSetup<Value>> setup;
  std::vector<std::unique_ptr<DenseMemory<Value>>> memory;
  DenseWork<Value> work;
};

}  // namespace seiche
