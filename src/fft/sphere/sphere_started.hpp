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
#include "pipeline/started_call.hpp"
#include "space/kernel_array.hpp"

namespace seiche {

/// A started call. The functions that start it are collective.
template <class Value>
class SphereStarted final : public StartedCall {
 public:
  using Plan = SphereFft<Value>;
  using Complex = typename Plan::Complex;
  using Batch = SphereBatch<Value>;

  explicit SphereStarted(std::shared_ptr<typename Plan::Body> body) : body_(std::move(body)) {}

  void backward(const Coefficients<const Complex>& in, std::span<Value> grid, std::int64_t bands) {
    this->start([&] {
      body_->check("backward", bands, [&](EqualArguments&) {
        body_->require_coefficients(bands, in, input);
        body_->require_values(bands, grid);
        require_apart(used_bytes(plan(), bands, in), std::as_bytes(grid));
      });
      watch_on_host(in.values);
      run(Flow::backward, {.bands = bands, .in = in.values.data(), .grid = grid.data(), .in_row = row(in)});
    });
  }
  void forward(std::span<const Value> grid, const Coefficients<Complex>& out, std::int64_t bands) {
    this->start([&] {
      body_->check("forward", bands, [&](EqualArguments&) {
        body_->require_coefficients(bands, out, output);
        body_->require_values(bands, grid);
        require_apart(std::as_bytes(grid), used_bytes(plan(), bands, out));
      });
      watch_on_host(grid);
      auto* const values = const_cast<Value*>(grid.data());
      run(Flow::forward, {.bands = bands, .out = out.values.data(), .grid = values, .out_row = row(out)});
    });
  }
  /// `function` must exist until finish().
  void round_trip(const Coefficients<const Complex>& in, const Coefficients<Complex>& out, std::int64_t bands,
                  const GridCallback<Value>& function, Result result) {
    there_and_back("round_trip", in, out, bands, result,
                   [&] { function_ = body_->grid_function("round_trip", function, together_); });
  }
  /// `function` must exist until finish().
  void to_grid(const Coefficients<const Complex>& in, std::int64_t bands, const GridCallback<Value>& function) {
    this->start([&] {
      body_->check("to_grid", bands, [&](EqualArguments&) {
        function_ = body_->grid_function("to_grid", function, together_);
        body_->require_coefficients(bands, in, input);
      });
      run(Flow::to_the_function, {.bands = bands, .in = in.values.data(), .in_row = row(in)});
    });
  }
  /// Keeps a function until the end of the call.
  const GridCallback<Value>& keep(GridCallback<Value> function) { return kept_.emplace(std::move(function)); }
  void apply_potential(const Coefficients<const Complex>& in, const Coefficients<Complex>& out, std::int64_t bands,
                       std::span<const double> potential, Result result) {
    there_and_back("apply_potential", in, out, bands, result, [&] {
      body_->require_points(potential.size());
      potential_.emplace(plan().queue, potential);
      narrow_ = narrowed(plan(), {potential_->data(), potential.size()});
      const void* values = potential_->data();
      const bool magnetism = body_->with_magnetism(potential.size());
      together_ = Multiply<Value>{plan().box, potential_->data()};
      if constexpr (!std::is_floating_point_v<Value>) {
        if (magnetism) together_ = MultiplySpinors<Value>{plan().box, potential_->data()};
      }
      function_ = {.together = &together_,
                   .by = GivenBy::library,
                   .work = magnetism ? PlaneWork::spinor_potential : PlaneWork::potential,
                   .potential = narrow_.data() != nullptr ? narrow_.data() : values};
    });
    watch_on_host(potential);
  }
  void add_density(const Coefficients<const Complex>& in, std::span<const double> weights, std::int64_t bands,
                   std::span<double> density) {
    this->start([&] {
      body_->check("add_density", bands, [&](EqualArguments& same) {
        same.add("weights", weights);
        body_->require_coefficients(bands, in, input);
        body_->require_weights(bands, weights);
        body_->require_points(density.size());
        density_.emplace(plan().queue, density);
        weighted_ = weighted_bands(plan(), weights);
      });
      watch_on_host(in.values);
      const bool four = body_->with_magnetism(density.size());
      together_ = AddSquares<Value>{plan().box, weighted_.weights.data(), density_->data()};
      if (four) together_ = AddMagnetism<Value>{plan().box, weighted_.weights.data(), density_->data()};
      function_ = {.together = &together_,
                   .by = GivenBy::library,
                   .work = four ? PlaneWork::magnetization : PlaneWork::density,
                   .density = density_->data(),
                   .weights = weighted_.weights.data()};
      std::vector<Batch> batches;
      for (const Range& run : weighted_.runs) {
        const Complex* values = in.values.data() + body_->rows(run.low) * row(in);
        batches.push_back({.bands = run.size(), .in = values, .in_row = row(in)});
      }
      run(Flow::to_the_function, batches);
    });
  }

 private:
  const SpherePlan& plan() const { return body_->plan(); }
  template <class Given>
  std::int64_t row(const Coefficients<Given>& given) const {
    return body_->row_length(given);
  }
  template <class T>
  void watch_on_host(std::span<const T> array) {
    if (plan().queue.on_host()) this->watch(plan().comm, std::as_bytes(array));
  }
  /// Starts a call that reads and writes coefficients. `prepare` makes further checks and sets the function.
  template <class Prepare>
  void there_and_back(const char* call, const Coefficients<const Complex>& in, const Coefficients<Complex>& out,
                      std::int64_t bands, Result result, const Prepare& prepare) {
    this->start([&] {
      body_->check(call, bands, [&](EqualArguments& same) {
        same.add("adds", result == Result::adds);
        body_->require_coefficients(bands, in, input);
        body_->require_coefficients(bands, out, output);
        require_same_or_apart(plan(), bands, in, out);
        prepare();
      });
      if (plan().queue.on_host()) this->watch(plan().comm, in.values, out.values);
      run(Flow::round_trip, {.bands = bands,
                             .in = in.values.data(),
                             .out = out.values.data(),
                             .in_row = row(in),
                             .out_row = row(out),
                             .result = result});
    });
  }
  void run(Flow flow, const Batch& batch) { run(flow, std::span(&batch, 1)); }
  void run(Flow flow, std::span<const Batch> batches) {
    run_.emplace(*body_->kept, flow, function_, body_->spent);
    run_->begin(batches);
  }
  bool advance() override { return run_->progress(); }
  void complete() override {
    run_->finish();
    if (density_) density_->take_back();
  }

  std::shared_ptr<typename Plan::Body> body_;
  std::optional<GridCallback<Value>> kept_;
  typename Plan::SpinorSpace together_;
  GridFunction<Value> function_;
  Memory narrow_;  // copy of the potential; destroyed after potential_, which waits for its kernel
  std::optional<KernelArray<const double>> potential_;
  std::optional<KernelArray<double>> density_;
  WeightedBands weighted_;
  std::optional<SphereRun<Value>> run_;
};

}  // namespace seiche
