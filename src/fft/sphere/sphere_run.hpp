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
#include "pipeline/call_pool.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
class KeptSphere;

/// Data that a run changes: slots with their exchanges, the pipeline, and the current call.
template <class Value>
struct SphereWork {
  explicit SphereWork(const KeptSphere<Value>& kept)
      : plan(kept.plan()),
        slots(plan),
        pipeline(plan.comm, plan.options.policy.window, plan.options.policy.progress),
        call(plan),
        steps(make_steps(kept)) {
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      for (std::size_t by = 0; by < flows[flow].size(); ++by) {
        flows[flow][by] = sphere_stages(plan, slots, *steps, static_cast<Flow>(flow), static_cast<GivenBy>(by));
      }
    }
  }
  /// Collective.
  ~SphereWork() {
    pipeline.drain();
    plan.queue.drain();
  }
  SphereWork(const SphereWork&) = delete;
  SphereWork& operator=(const SphereWork&) = delete;

  /// Collective. Creates exchanges and memory for a run, unless they exist.
  void open(Flow flow, GivenBy by) {
    slots.open();
    steps->open(flow, by);
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
  std::array<std::array<std::vector<Stage>, 3>, 8> flows;  // [flow][GivenBy]

 private:
  std::unique_ptr<SphereSteps> make_steps(const KeptSphere<Value>& kept);
};

/// Data that plans with the same arguments share. Apart from scratch memory, plan and 1D FFTs are constant during
/// transforms.
template <class Value>
class KeptSphere : public CachedPlan, public std::enable_shared_from_this<KeptSphere<Value>> {
 public:
  using Complex = typename ComplexOf<Value>::type;

  KeptSphere(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, const FftOptions& asked)
      : plan_(comm, shape, mine, asked, {letter_of<Value>(), RowLines<Value>::real, sizeof(Complex)}),
        kernels_(
            made_together(comm, [this] { return on_device() ? std::make_unique<DeviceKernels>(plan_) : nullptr; })),
        lines_(made_together(comm,
                             [this] { return on_device() ? nullptr : std::make_unique<SphereLines<Value>>(plan_); })) {
    plan_.forget_arrivals();
    const std::size_t of_lines = kernels_ ? kernels_->bytes() : lines_->bytes();
    if (kernels_) plan_.choose_batch(kernels_->sphere().favourite_rows() / plan_.options.components, of_lines);
    report_ = plan_.settle(of_lines);
    bytes_ = static_cast<std::int64_t>(of_lines + plan_.map.bytes());
    if (kernels_) report_.library = kernels_->sphere().method();
    work();  // throws if MPI does not support the progress mode
  }
  const SpherePlan& plan() const { return plan_; }
  DeviceKernels* kernels() const { return kernels_.get(); }   ///< null on the host
  SphereLines<Value>* lines() const { return lines_.get(); }  ///< null on a device
  const FftReport& report() const { return report_; }
  /// Returns the report with the current memory of open plans.
  const FftReport& current_report() {
    report_.kept_memory = kept_on<PlanCache>(plan().comm).memory();
    return report_;
  }
  /// Returns the bytes of the coefficients of a batch at their sticks, on a device.
  std::size_t bytes_on_sticks() const {
    return kernels_ ? static_cast<std::size_t>(plan().band_groups.batch) * bytes_of_factors() : 0;
  }
  /// Returns the bytes of the factors of a convolution.
  std::size_t bytes_of_factors() const {
    return kernels_ ? static_cast<std::size_t>(kernels_->waves_at_sticks()) * sizeof(Complex)
                    : static_cast<std::size_t>(lines_->z.factors()) * sizeof(typename Complex::value_type);
  }
  /// Returns the bytes of memory that a convolution needs beside report().memory, without factors.
  std::size_t bytes_of_convolution() const {
    return static_cast<std::size_t>(plan().options.policy.window) * bytes_on_sticks();
  }

  PlanCost cost() const override {
    const SpherePlan& p = plan();
    const std::int64_t of_component = 1 + std::int64_t{p.map.routed} + std::int64_t{p.pencil};
    return {bytes_, report().memory, of_component * p.options.policy.window * p.options.components};
  }
  /// Collective. Frees exchanges and memory. Those of open streams are freed at their end.
  void close() override {
    open = false;
    boxes_.close();
    works_.close();
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
  /// Collective. Returns data for a run.
  std::shared_ptr<SphereWork<Value>> take(Flow flow, GivenBy by) {
    require_idle();
    auto taken = work();
    taken->open(flow, by);
    kept_on<PlanCache>(plan().comm).use(this->shared_from_this());
    return taken;
  }

  bool working = false;  ///< a stage of a run works

 private:
  bool on_device() const { return !plan_.queue.on_host(); }
  std::shared_ptr<SphereWork<Value>> work() {
    return works_.take([this] { return std::make_unique<SphereWork<Value>>(*this); });
  }

  SpherePlan plan_;
  std::unique_ptr<DeviceKernels> kernels_;
  std::unique_ptr<SphereLines<Value>> lines_;
  FftReport report_;
  std::int64_t bytes_ = 0;  // of the plan and the 1D FFTs
  CallPool<SphereWork<Value>> works_;
  CallersBoxes boxes_;
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

/// One run of a plan, from its start to finish(). The destructor is collective without finish().
template <class Value>
class SphereRun {
 public:
  /// Collective. Starts a run.
  SphereRun(KeptSphere<Value>& kept, Flow flow, const GridFunction<Value>& function, ProgressReport& account,
            RunOptions how = {})
      : kept_(kept), work_(kept.take(flow, function.by)) {
    work_->call.begin(work_->pipeline, flow, function);
    how.account = &account;
    how.working = &kept.working;
    run_.emplace(work_->pipeline.start(work_->stages(flow, function.by), how));
  }
  SphereRun(const SphereRun&) = delete;
  SphereRun& operator=(const SphereRun&) = delete;

  /// Collective. Adds a batch of bands.
  void feed(const SphereBatch<Value>& batch) {
    kept_.require_idle();
    kept_.plan().queue.follow_caller();
    run_->feed(work_->call.add(batch, run_->complete()));
  }
  /// Collective. Adds all batches, and runs the steps before the first one that waits for an exchange.
  void begin(std::span<const SphereBatch<Value>> batches) {
    kept_.plan().queue.follow_caller();
    run_->begin(added(batches));
  }
  /// Local. Adds batches to an open run after begin(). \pre progress() has returned true
  void add(std::span<const SphereBatch<Value>> batches) { run_->add(added(batches)); }
  /// Collective. Runs the first stages of all added batches. Calls `between` after each cycle of the pipeline.
  template <class Between>
  void catch_up(const Between& between) {
    while (!run_->caught_up()) {
      run_->advance();
      between();
    }
    run_->feed(0);  // waits for kernels, which use the list of batches
  }
  /// Makes progress after begin(). Returns true if finish() would not wait.
  bool progress() {
    kept_.require_idle();
    return run_->progress();
  }
  void fail(const Error& fault) { run_->fail(fault); }
  void leave() { run_->leave(); }
  /// Makes progress between calls of feed().
  void poll() { work_->pipeline.poll(); }
  /// Collective. Completes all bands. \throws the error of the lowest rank that has one
  void finish() {
    kept_.require_idle();
    run_->finish();
  }

 private:
  std::int64_t added(std::span<const SphereBatch<Value>> batches) {
    std::int64_t items = 0;
    for (const auto& batch : batches) items += work_->call.add(batch, run_->complete());
    return items;
  }

  KeptSphere<Value>& kept_;
  std::shared_ptr<SphereWork<Value>> work_;
  std::optional<Pipeline::Run> run_;
};

/// The code for a kind of value. `Extern`: extern for a declaration. sphere_run.cpp has the definitions.
#define SEICHE_SPHERE_CODE(Extern, Value)                                                               \
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
