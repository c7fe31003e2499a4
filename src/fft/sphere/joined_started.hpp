// SPDX-License-Identifier: BSD-3-Clause
/// \file  A started call that joins bands of two sphere plans, with everything that its stages use.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fft/sphere/callers_overlap.hpp"
#include "fft/sphere/joined_run.hpp"
#include "fft/sphere/on_joined_grid.hpp"
#include "fft/sphere/orbital_place.hpp"
#include "fft/sphere/sphere_body.hpp"
#include "fft/sphere/weighted_bands.hpp"
#include "pipeline/started_call.hpp"

namespace seiche {

/// A started call. The functions that start it are collective.
template <class Value>
class JoinedStarted final : public StartedCall {
 public:
  using Plan = SphereFft<Value>;
  using Complex = typename Plan::Complex;
  using Batch = SphereBatch<Value>;

  /// `from`: implementation of the plan whose bands go to the grid.
  explicit JoinedStarted(std::shared_ptr<typename Plan::Body> from) : from_(std::move(from)) {}

  void apply_perturbation(const Plan& target, const Coefficients<const Complex>& in, const Coefficients<Complex>& out,
                          std::int64_t bands, std::span<const std::complex<double>> potential, Result result) {
    this->start([&] {
      check("apply_perturbation", target, bands, [&](EqualArguments& same) {
        same.add("adds", result == Result::adds);
        from_->require_coefficients(bands, in, input);
        to_->require_coefficients(bands, out, output);
        require_apart(used_bytes(from_->plan(), bands, in), used_bytes(to_->plan(), bands, out));
        from_->require_points(potential.size());
      });
      this->watch(from_->plan().comm, std::as_bytes(in.values));
      this->watch(from_->plan().comm, std::as_bytes(potential));
      if constexpr (!std::is_floating_point_v<Value>) {
        together_ = Perturb<Value>{from_->plan().box, potential.data()};
        if (from_->with_magnetism(potential.size())) {
          together_ = PerturbSpinors<Value>{from_->plan().box, potential.data()};
        }
      }
      const Batch from{.bands = bands, .in = in.values.data(), .in_row = from_->row_length(in)};
      const Batch to{.bands = bands, .out = out.values.data(), .out_row = to_->row_length(out), .result = result};
      run(Flow::from_partner, {&from, 1}, {&to, 1});
    });
  }
  void add_products(const Plan& other, const Coefficients<const Complex>& left,
                    const Coefficients<const Complex>& right, std::span<const double> weights, std::int64_t bands,
                    std::span<std::complex<double>> density) {
    this->start([&] {
      check("add_products", other, bands, [&](EqualArguments& same) {
        same.add("weights", weights);
        from_->require_coefficients(bands, left, "left ");
        to_->require_coefficients(bands, right, "right ");
        from_->require_weights(bands, weights);
        from_->require_points(density.size());
        weighted_ = weighted_bands(from_->plan(), weights);
      });
      this->watch(from_->plan().comm, std::as_bytes(left.values));
      this->watch(from_->plan().comm, std::as_bytes(right.values));
      if constexpr (!std::is_floating_point_v<Value>) {
        together_ = AddProducts<Value>{from_->plan().box, weighted_.weights.data(), density.data()};
        if (from_->with_magnetism(density.size())) {
          together_ = AddSpinProducts<Value>{from_->plan().box, weighted_.weights.data(), density.data()};
        }
      }
      run(Flow::to_the_function, batches(*from_, left), batches(*to_, right));
    });
  }

 private:
  /// Collective. Checks what all calls need, and then checks(arguments).
  template <class Checks>
  void check(const char* call, const Plan& target, std::int64_t bands, const Checks& checks) {
    from_->check(call, bands, [&](EqualArguments& same) {
      const SpherePlan& plan = from_->plan();
      require(!plan.kind.half, Fault::unsupported,
              "fft: {} needs full spheres, but this plan has a half sphere: create plans of full spheres", call);
      require(plan.queue.on_host(), Fault::unsupported,
              "fft: {} is not available on a device: create both plans with the space 'host'", call);
      to_ = Plan::Body::of(target).shared_from_this();
      to_->kept->require_idle();
      require(place_of(plan) == place_of(to_->plan()) && plan.options.threads == to_->plan().options.threads,
              Fault::bad_argument,
              "fft: the plans have another communicator, grid, decomposition, number of band groups, number of "
              "components, number of threads or memory space: create both with the same options");
      checks(same);
      planes_.emplace(plan.options.threads, plan.options.components * plan.box.size(0) * plan.box.size(1));
    });
  }
  /// Returns the bands of a plan that have weights.
  std::vector<Batch> batches(const typename Plan::Body& body, const Coefficients<const Complex>& given) const {
    std::vector<Batch> all;
    const std::int64_t row = body.row_length(given);
    for (const Range& run : weighted_.runs) {
      all.push_back({.bands = run.size(), .in = given.values.data() + body.rows(run.low) * row, .in_row = row});
    }
    return all;
  }
  void run(Flow flow, std::span<const Batch> from, std::span<const Batch> to) {
    run_.emplace(*from_->kept, *to_->kept, flow, GridFunction<Value>{.together = &together_, .by = GivenBy::library},
                 from_->spent, *planes_);
    run_->begin(from, to);
  }
  bool advance() override { return run_->progress(); }
  void complete() override { run_->finish(); }

  std::shared_ptr<typename Plan::Body> from_, to_;
  typename Plan::SpinorSpace together_;
  WeightedBands weighted_;
  std::optional<Scratch<Value>> planes_;
  std::optional<JoinedRun<Value>> run_;
};

}  // namespace seiche
