// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call of a sphere plan, with everything that its stages use.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fft/sphere/callers_overlap.hpp"
#include "fft/sphere/sphere_body.hpp"
#include "fft/sphere/weighted_bands.hpp"
#include "pipeline/pending_work.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

/// The functions that start a call are collective. They keep an error of the arguments for finish(), which throws it on
/// all ranks.
template <class Value>
class SphereStarted final : public Pending::Work {
 public:
  using Plan = SphereFft<Value>;
  using Complex = typename Plan::Complex;
  using Batch = SphereBatch<Value>;

  explicit SphereStarted(std::shared_ptr<typename Plan::Body> body) : body_(std::move(body)) {}

  void backward(std::int64_t bands, const Coefficients<const Complex>& in, std::span<Value> grid) {
    const bool sound = agreed("backward", bands, [&](EqualArguments&) {
      body_->require_coefficients(bands, in, input);
      body_->require_values(bands, grid);
      require_apart(used_bytes(plan(), bands, in), std::as_bytes(grid));
    });
    if (!sound) return;
    watch(in.values);
    const Batch batch{.bands = bands, .in = in.values.data(), .grid = grid.data(), .in_row = body_->row_length(in)};
    start(Flow::backward, {}, {&batch, 1});
  }
  void forward(std::int64_t bands, std::span<const Value> grid, const Coefficients<Complex>& out) {
    const bool sound = agreed("forward", bands, [&](EqualArguments&) {
      body_->require_coefficients(bands, out, output);
      body_->require_values(bands, grid);
      require_apart(std::as_bytes(grid), used_bytes(plan(), bands, out));
    });
    if (!sound) return;
    watch(grid);
    const Batch batch{.bands = bands,
                      .out = out.values.data(),
                      .grid = const_cast<Value*>(grid.data()),
                      .out_row = body_->row_length(out)};
    start(Flow::forward, {}, {&batch, 1});
  }
  void round_trip(const ThereAndBack<Value>& bands, typename Plan::RealSpace function) {
    each_ = std::move(function);
    const bool sound = agreed("round_trip", bands.bands, [&](EqualArguments& same) {
      same.add("adds", bands.result == Result::adds);
      require_function(each_);
      body_->require_one_component("round_trip_spinors");
      require_coefficients(bands);
    });
    if (sound) start(Flow::round_trip, {&each_, nullptr}, batch_of(bands));
  }
  void round_trip_spinors(const ThereAndBack<Value>& bands, typename Plan::SpinorSpace function) {
    together_ = std::move(function);
    const bool sound = agreed("round_trip_spinors", bands.bands, [&](EqualArguments& same) {
      same.add("adds", bands.result == Result::adds);
      require_function(together_);
      require_coefficients(bands);
    });
    if (sound) start(Flow::round_trip, {nullptr, &together_}, batch_of(bands));
  }
  /// `function` must exist until finish().
  void round_trip_on_device(const ThereAndBack<Value>& bands, const typename Plan::OnDevice& function) {
    const bool sound = agreed("round_trip_on_device", bands.bands, [&](EqualArguments& same) {
      same.add("adds", bands.result == Result::adds);
      require_function(function);
      body_->require_device("round_trip_on_device");
      require_coefficients(bands);
    });
    if (sound) start(Flow::round_trip, {.starts = &function, .by = GivenBy::user_on_device}, batch_of(bands));
  }
  /// `function` must exist until finish().
  void to_grid_on_device(const Coefficients<const Complex>& in, std::int64_t bands,
                         const typename Plan::OnDevice& function) {
    const bool sound = agreed("to_grid_on_device", bands, [&](EqualArguments&) {
      require_function(function);
      body_->require_device("to_grid_on_device");
      body_->require_coefficients(bands, in, input);
    });
    if (!sound) return;
    const Batch batch{.bands = bands, .in = in.values.data(), .in_row = body_->row_length(in)};
    start(Flow::to_the_function, {.starts = &function, .by = GivenBy::user_on_device}, {&batch, 1});
  }
  void apply_potential(const ThereAndBack<Value>& bands, std::span<const double> potential) {
    const bool sound = agreed("apply_potential", bands.bands, [&](EqualArguments& same) {
      same.add("adds", bands.result == Result::adds);
      require_coefficients(bands);
      body_->require_points(potential.size());
      potential_.emplace(plan().queue, potential);
      on_device_ = DevicePotential(plan(), {potential_->data(), potential.size()});
    });
    if (!sound) return;
    watch(potential);
    const bool magnetism = body_->with_magnetism(potential.size());
    together_ = Multiply<Value>{plan().box, potential_->data()};
    if constexpr (!std::is_floating_point_v<Value>) {
      if (magnetism) together_ = MultiplySpinors<Value>{plan().box, potential_->data()};
    }
    start(Flow::round_trip,
          {.together = &together_,
           .by = GivenBy::library,
           .on_device = {.work = magnetism ? PlaneWork::spinor_potential : PlaneWork::potential,
                         .potential = on_device_.data()}},
          batch_of(bands));
  }
  void add_density(const Coefficients<const Complex>& in, std::span<const double> weights, std::int64_t bands,
                   std::span<double> density) {
    const bool sound = agreed("add_density", bands, [&](EqualArguments& same) {
      same.add("weights", weights);
      body_->require_coefficients(bands, in, input);
      require(weights.size() == static_cast<std::size_t>(bands), Fault::bad_argument,
              "fft: {} bands need one weight each (got {} weights)", bands, weights.size());
      body_->require_points(density.size());
      density_.emplace(plan().queue, density);
      weighted_ = weighted_bands(plan(), weights);
    });
    if (!sound) return;
    watch(in.values);
    const bool four = body_->with_magnetism(density.size());
    together_ = AddSquares<Value>{plan().box, weighted_.weights.data(), density_->data()};
    if (four) together_ = AddMagnetism<Value>{plan().box, weighted_.weights.data(), density_->data()};
    const std::int64_t row = body_->row_length(in);
    std::vector<Batch> batches;
    for (const Range& run : weighted_.runs) {
      batches.push_back({.bands = run.size(), .in = in.values.data() + body_->rows(run.low) * row, .in_row = row});
    }
    start(Flow::to_the_function,
          {.together = &together_,
           .by = GivenBy::library,
           .on_device = {.work = four ? PlaneWork::magnetization : PlaneWork::density,
                         .density = density_->data(),
                         .weights = weighted_.weights.data()}},
          batches);
  }

  bool progress() override { return !run_ || run_->progress(); }
  void finish() override {
    body_->kept->require_idle();
    if (fault_) throw Error(*fault_);
    run_->finish();
    if (density_) density_->take_back();
  }

 private:
  const SpherePlan& plan() const { return body_->plan(); }
  /// Collective. Checks the arguments on all ranks, and keeps the error.
  template <class Checks>
  bool agreed(const char* call, std::int64_t bands, const Checks& checks) {
    fault_ = fault_of([&] { body_->check(call, bands, checks); });
    return !fault_;
  }
  void require_coefficients(const ThereAndBack<Value>& bands) const {
    body_->require_coefficients(bands.bands, bands.in, input);
    body_->require_coefficients(bands.bands, bands.out, output);
    require_same_or_apart(plan(), bands.bands, bands.in, bands.out);
  }
  /// Watches an input in host memory.
  template <class T>
  void watch(std::span<const T> array) {
    if (plan().queue.on_host()) inputs.watch(plan().comm, std::as_bytes(array));
  }
  std::array<Batch, 1> batch_of(const ThereAndBack<Value>& bands) {
    if (plan().queue.on_host()) inputs.watch(plan().comm, input_bytes(bands.in.values, bands.out.values));
    return {Batch{.bands = bands.bands,
                  .in = bands.in.values.data(),
                  .out = bands.out.values.data(),
                  .in_row = body_->row_length(bands.in),
                  .out_row = body_->row_length(bands.out),
                  .result = bands.result}};
  }
  void start(Flow flow, const GridFunction<Value>& function, std::span<const Batch> batches) {
    run_.emplace(*body_->kept, flow, function, body_->spent);
    run_->begin(batches);
  }

  std::shared_ptr<typename Plan::Body> body_;
  std::optional<Error> fault_;
  typename Plan::RealSpace each_;
  typename Plan::SpinorSpace together_;
  std::optional<KernelArray<const double>> potential_;
  DevicePotential on_device_;
  std::optional<KernelArray<double>> density_;
  WeightedBands weighted_;
  std::optional<SphereRun<Value>> run_;
};

}  // namespace seiche
