// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of ExactExchange objects: plans, checks of arguments, and occupied orbitals.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/equal_arguments.hpp"
#include "exact_exchange/occupied_body.hpp"
#include "fft/sphere/callers_overlap.hpp"
#include "fft/sphere/callers_rows.hpp"
#include "fft/sphere/sphere_run.hpp"
#include "pair_densities/orbital_stream.hpp"

namespace seiche {

/// Returns the positions of weights other than 0. \throws Error for a weight that is not finite
inline std::vector<std::int64_t> positions_used(std::span<const double> weights) {
  std::vector<std::int64_t> used;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    require(std::isfinite(weights[i]), Fault::bad_argument, "exact exchange: weight {} is not a finite number ({})", i,
            weights[i]);
    if (weights[i] != 0) used.push_back(static_cast<std::int64_t>(i));
  }
  return used;
}

/// Returns the weights at some positions.
inline std::vector<double> chosen(std::span<const double> weights, const std::vector<std::int64_t>& positions) {
  std::vector<double> some;
  for (const std::int64_t i : positions) some.push_back(weights[static_cast<std::size_t>(i)]);
  return some;
}
/// Copies the rows of coefficients at some positions to memory of the plan, without padding.
template <class Complex>
Memory chosen_rows(const SpherePlan& plan, const Coefficients<const Complex>& all,
                   const std::vector<std::int64_t>& positions) {
  const std::int64_t length = row_length(plan, all), components = plan.options.components;
  const std::size_t bytes = static_cast<std::size_t>(plan.waves) * sizeof(Complex);
  Memory some(static_cast<std::size_t>(rows_of(plan, std::ssize(positions))) * bytes, Fresh::raw, plan.queue.space());
  plan.queue.follow_caller();
  std::byte* row = some.data();
  for (const std::int64_t i : positions) {
    for (std::int64_t c = 0; c < components; ++c, row += bytes) {
      plan.queue.copy(all.values.data() + (i * components + c) * length, row, bytes);
    }
  }
  plan.queue.record().wait();
  return some;
}

template <class Value>
struct ExactExchange<Value>::Body {
  using Orbitals = typename OccupiedOrbitals<Value>::Body;
  using Sphere = KeptSphere<Value>;

  Body(const Communicator& comm, const GridShape& shape, std::span<const Miller> waves,
       std::span<const Miller> density_waves, const ExactExchangeOptions& options)
      : orbitals(kept_sphere<Value>(comm, shape, waves, options.fft)), orbital_options(options.fft), across(comm) {
    // other plans must have the same grid boxes and band groups
    orbital_options.band_groups = plan().band_groups.count;
    orbital_options.decomposition = plan().options.decomposition;
    FftOptions of_pairs = orbital_options;
    of_pairs.components = 1;
    pairs = sphere(density_waves, of_pairs);
    across = plan().ordered.split(plan().me);
    report.orbitals = orbitals->report();
    report.pairs = pairs->report();
    report.batch = options.batch > 0 ? options.batch : 8;
    const std::int64_t on_grid = OrbitalStream<Value>::orbitals_in_memory(groups(), window()) +
                                 OrbitalStream<Value>::orbitals_in_messages(groups(), plan().queue) + 2 * report.batch;
    report.memory = report.orbitals.memory + report.pairs.memory +
                    on_grid * plan().values() * std::int64_t{sizeof(Value)} +
                    static_cast<std::int64_t>(pairs->bytes_of_factors() + pairs->bytes_of_convolution());
  }

  const SpherePlan& plan() const { return orbitals->plan(); }
  const Communicator& comm() const { return plan().comm; }
  int groups() const { return plan().band_groups.count; }
  int window() const { return pairs->plan().options.policy.window; }
  std::int64_t most_targets() const { return std::int64_t{groups()} * report.batch; }

  /// Collective. Returns a plan with the grid boxes of this object.
  std::shared_ptr<Sphere> sphere(std::span<const Miller> waves, const FftOptions& options) const {
    return kept_sphere<Value>(comm(), plan().shape, waves, options);
  }
  void transform(Sphere& kept, Flow flow, const SphereBatch<Value>& batch, const GridFunction<Value>& function = {}) {
    SphereRun<Value> run(kept, flow, function, spent);
    run.feed(batch);
    run.finish();
  }

  /// Collective.
  std::shared_ptr<const Orbitals> occupied(Sphere& kept, const Coefficients<const Complex>& all,
                                           std::span<const double> weights) {
    const std::int64_t bands = std::ssize(weights);
    Orbitals made(plan());
    Memory rows;
    together(comm(), "occupied", [&](EqualArguments& same) {
      same.add("weights", weights);
      kept.require_idle();
      require_coefficients(kept.plan(), bands, all, input);
      const auto used = positions_used(weights);
      made.weights = chosen(weights, used);
      rows = chosen_rows(kept.plan(), all, used);
      made.allocate(plan(), std::ssize(used));
    });
    transform(kept, Flow::backward,
              {.bands = made.count,
               .in = reinterpret_cast<const Complex*>(rows.data()),
               .grid = made.orbital(0),
               .in_row = kept.plan().waves});
    return std::make_shared<const Orbitals>(std::move(made));
  }
  /// Collective.
  std::shared_ptr<const Orbitals> occupied_on_grid(std::span<const Value> values,
                                                   std::span<const double> weights) const {
    const std::int64_t here = plan().bands_here(std::ssize(weights)), length = plan().values();
    Orbitals made(plan());
    together(comm(), "occupied_on_grid", [&](EqualArguments& same) {
      same.add("weights", weights);
      positions_used(weights);
      made.weights.assign(weights.begin(), weights.end());
      require(std::ssize(values) == here * length, Fault::bad_argument,
              "exact exchange: {} orbitals on {} grid points with {} components need {} values (got {})", here,
              plan().box.volume(), plan().options.components, here * length, values.size());
      made.allocate(plan(), std::ssize(weights));
      plan().queue.follow_caller();
      plan().queue.copy(values.data(), made.orbital(0), values.size_bytes()).wait();
    });
    return std::make_shared<const Orbitals>(std::move(made));
  }

  void require_ours(const Orbitals& occupied) const {
    require(occupied == place_of(plan()), Fault::bad_argument,
            "exact exchange: the occupied orbitals have another communicator, grid, decomposition, number of band "
            "groups, number of components or memory space: create them with the same options");
  }
  void require_kernel(std::span<const double> kernel) const {
    require(std::ssize(kernel) == pairs->plan().waves, Fault::bad_argument,
            "exact exchange: the kernel needs one value for each of the {} density waves of this rank (got {})",
            pairs->plan().waves, kernel.size());
  }

  /// Copies the kernel, which may be in device memory.
  std::vector<Complex> complex_values(std::span<const double> kernel) const {
    const Queue& queue = pairs->plan().queue;
    std::vector<double> copy(kernel.size());
    queue.follow_caller();
    queue.copy(kernel.data(), copy.data(), kernel.size_bytes()).wait();
    return {copy.begin(), copy.end()};
  }
  /// Collective. Checks that K(-G) = K(G), which means that the kernel is real on the grid.
  void require_even(std::span<const double> kernel) {
    if constexpr (!std::is_same_v<Value, Complex>) return;  // half spheres have no other kernels
    std::vector<Complex> coefficients;
    std::vector<Value> values;
    together(comm(), [&] {
      coefficients = complex_values(kernel);
      values.resize(static_cast<std::size_t>(pairs->plan().values()));
    });
    // each group receives the kernel as a band of its own
    transform(*pairs, Flow::backward, {.bands = groups(), .in = coefficients.data(), .grid = values.data()});
    double largest = 0, odd = 0;
    for (const Value& value : values) {
      largest = std::max(largest, std::abs(value));
      odd = std::max(odd, std::abs(std::imag(value)));
    }
    constexpr double rounding = 1e-10;
    require(maximum(comm(), odd) <= rounding * maximum(comm(), largest), Fault::bad_argument,
            "exact exchange: the kernel differs between G and -G: use apply() for orbitals of another k-point");
  }
  /// Collective. Stores the factors of a convolution with the kernel.
  void keep_factors(const std::vector<Complex>& kernel, double* factors) {
    // each group receives the kernel as a band of its own
    transform(*pairs, Flow::keep_factors, {.bands = groups(), .in = kernel.data()},
              {.by = GivenBy::library, .factors = factors});
  }
  /// Collective. Checks the arguments of apply(), and that the number of bands is equal on all ranks.
  void check(const OccupiedOrbitals<Value>& occupied, std::span<const double> kernel,
             const Coefficients<const Complex>& in, const Coefficients<Complex>& out, std::int64_t bands,
             Result result) const {
    together(comm(), "apply", [&](EqualArguments& same) {
      same.add("bands", bands).add("adds", result == Result::adds);
      require_ours(*OccupiedOrbitals<Value>::Body::of(occupied));
      require_kernel(kernel);
      require_coefficients(plan(), bands, in, input);
      require_coefficients(plan(), bands, out, output);
      require_same_or_apart(plan(), bands, in, out);
    });
  }

  std::shared_ptr<Sphere> orbitals, pairs;
  FftOptions orbital_options;  // options of plans of orbitals
  Communicator across;         // ranks of all groups with the same part of the grid
  ExactExchangeReport report{};
  ProgressReport spent{};
};

}  // namespace seiche
