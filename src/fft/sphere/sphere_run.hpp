// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cached data of sphere plans with the same arguments, and runs of these plans.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "fft/plan_key.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/callers_boxes.hpp"
#include "fft/sphere/device_kernels.hpp"
#include "fft/sphere/sphere_lines.hpp"
#include "fft/sphere/sphere_stages.hpp"
#include "layout/sound_shape.hpp"
#include "pipeline/spent.hpp"
#include "support/require.hpp"

namespace seiche {

/// Plan and 1D FFTs. Apart from scratch memory they are constant during transforms.
template <class Value>
struct SphereSetup {
  SphereSetup(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, const FftOptions& asked)
      : plan(comm, shape, mine, asked,
             {letter_of<Value>(), RowLines<Value>::real, sizeof(typename ComplexOf<Value>::type)}),
        kernels(
            made_together(plan.comm, [this] { return on_device() ? std::make_unique<DeviceKernels>(plan) : nullptr; })),
        lines(made_together(plan.comm,
                            [this] { return on_device() ? nullptr : std::make_unique<SphereLines<Value>>(plan); })) {
    plan.forget_arrivals();
    const std::size_t of_lines = kernels ? kernels->bytes() : lines->bytes();
    if (kernels) plan.choose_batch(kernels->sphere().favourite_rows() / plan.options.components, of_lines);
    report = plan.settle(of_lines);
    bytes = static_cast<std::int64_t>(of_lines + plan.map.bytes());
    if (kernels) report.library = kernels->sphere().method();
  }
  bool on_device() const { return !plan.queue.on_host(); }
  /// Returns the bytes of the coefficients of a batch at their sticks, on a device.
  std::size_t bytes_on_sticks() const {
    return kernels ? static_cast<std::size_t>(plan.band_groups.batch) * bytes_of_factors() : 0;
  }
  /// Returns the bytes of the factors of a convolution.
  std::size_t bytes_of_factors() const {
    using Complex = typename ComplexOf<Value>::type;
    return kernels ? static_cast<std::size_t>(kernels->waves_at_sticks()) * sizeof(Complex)
                   : static_cast<std::size_t>(lines->z.factors()) * sizeof(typename Complex::value_type);
  }
  SphereSetup(const SphereSetup&) = delete;
  SphereSetup& operator=(const SphereSetup&) = delete;
  SpherePlan plan;
  std::unique_ptr<DeviceKernels> kernels;     // of a device
  std::unique_ptr<SphereLines<Value>> lines;  // of the host
  FftReport report;
  std::int64_t bytes = 0;  // of the plan and the 1D FFTs
};

/// Data that a run changes: slots with their exchanges, the pipeline, and the current call.
template <class Value>
struct SphereWork {
  explicit SphereWork(SphereSetup<Value>& setup)
      : plan(setup.plan),
        slots(plan),
        pipeline(plan.comm, plan.options.policy.window, plan.options.policy.progress),
        call(plan, pipeline),
        steps(make_steps(setup)) {
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      for (std::size_t by = 0; by < flows[flow].size(); ++by) {
        flows[flow][by] = sphere_stages(plan, slots, *steps, static_cast<Flow>(flow), static_cast<GivenBy>(by));
      }
    }
  }
  SphereWork(const SphereWork&) = delete;
  SphereWork& operator=(const SphereWork&) = delete;

  /// Collective. Creates exchanges and memory for a run, unless they exist. They exist until close().
  void open(Flow flow, GivenBy by) {
    slots.open();
    steps->open(flow, by);
  }
  /// Collective. Frees exchanges and memory.
  void close() {
    pipeline.drain();
    plan.queue.drain();
    slots.close();
    steps->close();
  }
  /// Returns the stages of a run. `by`: who provides the function on the grid.
  const std::vector<Stage>& stages(Flow flow, GivenBy by) const {
    return flows[static_cast<std::size_t>(flow)][static_cast<std::size_t>(by)];
  }

  const SpherePlan& plan;
  SphereSlots slots;
  Pipeline pipeline;
  SphereCall<Value> call;
  std::unique_ptr<SphereSteps> steps;
  std::array<std::array<std::vector<Stage>, 3>, 6> flows;  // [flow][GivenBy]
  bool taken = false;                                      // used by a run

 private:
  std::unique_ptr<SphereSteps> make_steps(SphereSetup<Value>& setup);
};

/// Data that plans with the same arguments share.
template <class Value>
class KeptSphere : public CachedPlan, public std::enable_shared_from_this<KeptSphere<Value>> {
 public:
  KeptSphere(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, const FftOptions& asked)
      : setup_(comm, shape, mine, asked) {
    works_.push_back(std::make_unique<SphereWork<Value>>(setup_));
  }
  const SpherePlan& plan() const { return setup_.plan; }
  const FftReport& report() const { return setup_.report; }
  /// Returns the report with the current memory of open plans.
  const FftReport& current_report() {
    setup_.report.kept_memory = kept_on<PlanCache>(plan().comm).memory();
    return setup_.report;
  }
  std::size_t bytes_of_factors() const { return setup_.bytes_of_factors(); }  ///< of a convolution
  /// Returns the bytes of memory that a convolution needs beside report().memory, without factors.
  std::size_t bytes_of_convolution() const {
    return static_cast<std::size_t>(plan().options.policy.window) * setup_.bytes_on_sticks();
  }

  PlanCost cost() const override {
    const SpherePlan& p = plan();
    const std::int64_t of_component = 1 + std::int64_t{p.map.routed} + std::int64_t{p.pencil};
    return {setup_.bytes, report().memory, of_component * p.options.policy.window * p.options.components};
  }
  /// Collective. Frees exchanges and memory that no run uses. Open streams keep theirs.
  void close() override {
    open = false;
    boxes_.close();
    for (const auto& work : works_) {
      if (work->taken) {
        closed_ = true;
      } else {
        work->close();
      }
    }
  }

  /// Checks that no callback of this plan is running. \throws Error otherwise, because ranks reach callbacks at
  /// different times
  void require_idle() const {
    require(!working, Fault::bad_argument,
            "fft: a callback used the plan that called it: use that plan after the callback has returned, or use a "
            "plan on MPI_COMM_SELF in the callback");
  }
  /// Collective. Returns the exchanges with the caller's boxes.
  CallersBoxes& boxes() {
    require_idle();
    kept_on<PlanCache>(plan().comm).use(this->shared_from_this());
    return boxes_;
  }
  /// Collective. Returns data for a run. Creates another set if open streams use all.
  SphereWork<Value>& take(Flow flow, GivenBy by) {
    require_idle();
    auto free = works_.begin();
    while (free != works_.end() && (*free)->taken) ++free;
    if (free == works_.end()) free = works_.insert(free, std::make_unique<SphereWork<Value>>(setup_));
    (*free)->open(flow, by);
    kept_on<PlanCache>(plan().comm).use(this->shared_from_this());
    (*free)->taken = true;
    return **free;
  }
  /// Collective. Ends the use of the data of a run.
  void give_back(SphereWork<Value>& work) {
    work.taken = false;
    if (!std::exchange(closed_, false)) return;
    kept_on<PlanCache>(plan().comm).use(this->shared_from_this());  // close() has skipped this data
  }

  bool working = false;  ///< stages of a run are executing

 private:
  SphereSetup<Value> setup_;
  std::vector<std::unique_ptr<SphereWork<Value>>> works_;
  CallersBoxes boxes_;
  bool closed_ = false;
};

/// Collective. Returns the cached plan of these arguments, or creates it.
template <class Value>
std::shared_ptr<KeptSphere<Value>> kept_sphere(const Communicator& comm, const GridShape& shape,
                                               std::span<const Miller> mine, const FftOptions& options) {
  const PlanRequest request("sphere_fft", [&](PlanRequest& of) {
    const std::array kind{'s', letter_of<Value>()};
    of.key = PlanKey().add(kind).add(shape).add(options).add(mine).text();
    of.equal.add("kind of value", kind).add("shape", shape).add_options(options);
    require_sound(shape);
    require_sound(options, PlanKind::sphere);
  });
  return cached_plan<KeptSphere<Value>>(
      comm, request, [&] { return std::make_shared<KeptSphere<Value>>(comm, shape, mine, options); });
}

/// One run of a plan, from its start to finish().
template <class Value>
class SphereRun {
 public:
  /// Collective. Starts a run.
  SphereRun(KeptSphere<Value>& kept, Flow flow, const GridFunction<Value>& function, ProgressReport& account,
            const RunOptions& how = {})
      : kept_(kept), work_(kept.take(flow, function.by)), account_(account) {
    work_.call.begin(flow, function);
    run_.emplace(work_.pipeline.start(work_.stages(flow, function.by), how));
  }
  /// Collective. Completes pending exchanges.
  ~SphereRun() {
    run_.reset();
    static_cast<void>(fault_of([this] { kept_.give_back(work_); }));
  }
  SphereRun(const SphereRun&) = delete;
  SphereRun& operator=(const SphereRun&) = delete;

  /// Collective. Adds a batch of bands.
  void feed(const SphereBatch<Value>& batch) {
    const Inside inside(*this);
    kept_.plan().queue.follow_caller();
    run_->feed(work_.call.add(batch, run_->complete()));
  }
  /// Collective. Adds all batches, and runs the steps before the first one that waits for an exchange.
  void begin(std::span<const SphereBatch<Value>> batches) {
    const Inside inside(*this);
    kept_.plan().queue.follow_caller();
    std::int64_t items = 0;
    for (const auto& batch : batches) items += work_.call.add(batch, 0);
    run_->begin(items);
  }
  /// Local. Adds batches to an open run after begin(). \pre progress() has returned true
  void add(std::span<const SphereBatch<Value>> batches) {
    std::int64_t items = 0;
    for (const auto& batch : batches) items += work_.call.add(batch, run_->complete());
    run_->add(items);
  }
  /// Collective. Runs the first stages of all added batches. Calls `between` after each cycle of the pipeline.
  template <class Between>
  void catch_up(const Between& between) {
    const Inside inside(*this);
    while (!run_->caught_up()) {
      run_->advance();
      between();
    }
    run_->feed(0);  // waits for kernels, which use the list of batches
  }
  /// Makes progress after begin(). Returns true if finish() would not wait.
  bool progress() {
    const Inside inside(*this);
    return run_->progress();
  }
  void fail(const Error& fault) { run_->fail(fault); }
  void leave() { run_->leave(); }
  /// Makes progress between calls of feed().
  void poll() { work_.pipeline.poll(); }
  /// Collective. Completes all bands. \throws the error of the lowest rank that has one
  void finish() {
    const Inside inside(*this);
    run_->finish();
  }

 private:
  /// Marks the plan as working during a call, and measures the time of the call.
  struct Inside {
    explicit Inside(SphereRun& of) : spent(of.work_.pipeline, of.account_), kept(of.kept_) {
      kept.require_idle();
      kept.working = true;
    }
    ~Inside() { kept.working = false; }
    Spent spent;
    KeptSphere<Value>& kept;
  };

  KeptSphere<Value>& kept_;
  SphereWork<Value>& work_;
  ProgressReport& account_;
  std::optional<Pipeline::Run> run_;
};

/// The code for a kind of value. `Extern`: extern for a declaration. sphere_run.cpp has the definitions.
#define SEICHE_SPHERE_CODE(Extern, Value)                                                               \
  Extern template struct SphereSetup<Value>;                                                            \
  Extern template struct SphereWork<Value>;                                                             \
  Extern template class KeptSphere<Value>;                                                              \
  Extern template class SphereRun<Value>;                                                               \
  Extern template std::shared_ptr<KeptSphere<Value>> kept_sphere(const Communicator&, const GridShape&, \
                                                                 std::span<const Miller>, const FftOptions&);
SEICHE_SPHERE_CODE(extern, double)
SEICHE_SPHERE_CODE(extern, float)
SEICHE_SPHERE_CODE(extern, std::complex<double>)
SEICHE_SPHERE_CODE(extern, std::complex<float>)

}  // namespace seiche
