// SPDX-License-Identifier: BSD-3-Clause
/// \file  Data of dense transforms, and their pipeline stages: rows -> columns, and back. Pencils have columns along y
/// between. If the spectrum has the planes of the grid, data return for the 1D FFTs along y. Items are chunks of
/// bundles, in their order, or in the opposite order for backward transforms.
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

/// Data of one call in flight: memory, arguments and pipeline. Items of the pipeline are chunks of bundles.
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
        steps_(*setup_->steps),
        pipeline_(plan_.comm, bundles * static_cast<int>(plan_.chunks.count()), plan_.options.policy.progress),
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
    if (plan_.in_place && !how.started) how.ending = Ending::own;  // no errors are possible without messages
    pipeline_.drain();
    for (DenseMemory<Value>* one : memory_) {
      if (ends_.own) {
        one->is_spectrum = forward;
      } else {
        one->become(!forward && !plan_.distribution.returns);
      }
    }
    forward_ = forward;
    Pipeline::Run run = pipeline_.start(forward ? to_spectrum_ : to_grid_, how);
    run.begin(bundles * chunks());
    return run;
  }

 private:
  std::vector<Stage> stages_to_spectrum() {
    if (plan_.distribution.returns) return {rows_from_grid(), columns_and_back(false), rows_to_spectrum()};
    if (plan_.pencil) return {rows_from_grid(), middle_to_columns(), columns_to_spectrum()};
    return {rows_from_grid(), columns_to_spectrum()};
  }
  std::vector<Stage> stages_to_grid() {
    if (plan_.distribution.returns) return {rows_from_spectrum(), columns_and_back(true), rows_to_grid()};
    if (plan_.pencil) return {columns_from_spectrum(), middle_to_rows(), rows_to_grid()};
    return {columns_from_spectrum(), rows_to_grid()};
  }

  Stage rows_from_grid() {
    return {[this](std::int64_t item, int) {
              return steps_.rows_from_grid(grid(item), planes(item), memory(item).rows(chunk(item)), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::target, Payload::values}};
            }};
  }
  Stage rows_to_grid() {
    return {[this](std::int64_t item, int) {
              return steps_.rows_to_grid(memory(item).rows(chunk(item)), planes(item), grid(item), pipeline_);
            },
            [this](std::int64_t item, int) { return handed_back(item, Toward::target); }};
  }
  Stage middle_to_columns() {
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
  Stage middle_to_rows() {
    return {[this](std::int64_t item, int) {
              const DenseMemory<Value>& own = memory(item);
              return steps_.middle_lines(true, own.middle_source(chunk(item)), own.middle_target(chunk(item)),
                                         middle_planes(item), pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::source, Payload::values}};
            }};
  }
  Stage columns_to_spectrum() {
    return {[this](std::int64_t item, int) {
              return steps_.columns_to_spectrum(memory(item).columns(), columns(item), spectrum(item), pipeline_);
            },
            [this](std::int64_t item, int) { return handed_back(item, Toward::source); }};
  }
  Stage columns_from_spectrum() {
    return {[this](std::int64_t item, int) {
              return steps_.columns_from_spectrum(spectrum(item), columns(item), memory(item).columns(), pipeline_);
            },
            [this](std::int64_t item, int) {
              PostedExchanges posted{{last(item), Toward::source, Payload::values}};
              if (plan_.pencil) posted.add({first(item), Toward::target, Payload::release});
              return posted;
            }};
  }

  Stage columns_and_back(bool backward) {
    return {[this, backward](std::int64_t item, int) {
              Complex* values = memory(item).columns();
              return backward ? steps_.columns_from_spectrum(values, columns(item), values, pipeline_)
                              : steps_.columns_to_spectrum(values, columns(item), values, pipeline_);
            },
            [this](std::int64_t item, int) {
              return PostedExchanges{{first(item), Toward::source, Payload::values}};
            }};
  }
  Stage rows_to_spectrum() {
    return {[this](std::int64_t item, int) {
              return steps_.rows_to_spectrum(memory(item).rows(0), planes(item), spectrum(item), pipeline_);
            },
            nullptr};
  }
  Stage rows_from_spectrum() {
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
    return forward_ ? turn : chunks() - 1 - turn;
  }
  std::int64_t fields_before(std::int64_t item) const { return item / chunks() * plan_.bundle.fields(); }
  const DenseMemory<Value>& memory(std::int64_t item) const {
    return *memory_[static_cast<std::size_t>(item / chunks()) % memory_.size()];
  }
  Exchange* first(std::int64_t item) const { return memory(item).first(chunk(item)); }
  Exchange* last(std::int64_t item) const { return memory(item).last(chunk(item)); }
  Value* grid(std::int64_t item) const {
    if (!callers()) return reinterpret_cast<Value*>(memory(item).rows(0));
    return grid_ + fields_before(item) * ends_.next_field;
  }
  Complex* spectrum(std::int64_t item) const {
    if (!callers()) return memory(item).columns();
    return spectrum_ + fields_before(item) * ends_.next_spectrum;
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

  Setup setup_;
  const DensePlan& plan_;
  const DenseEnds& ends_;
  const DenseSteps<Value>& steps_;
  std::vector<std::unique_ptr<DenseMemory<Value>>> own_;
  std::vector<DenseMemory<Value>*> memory_;
  Value* grid_ = nullptr;  // the caller's arrays; not for fields
  Complex* spectrum_ = nullptr;
  bool forward_ = true;
  Pipeline pipeline_;
  std::vector<Stage> to_spectrum_, to_grid_;
};

}  // namespace seiche
