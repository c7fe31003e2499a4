// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of PairDensities objects: plans, checks of arguments, and orbitals on the grid.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "comm/equal_arguments.hpp"
#include "comm/levels.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/callers_rows.hpp"
#include "fft/sphere/sphere_run.hpp"
#include "pair_densities/orbital_stream.hpp"
#include "seiche/pair_densities.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
struct GridOrbitals<Value>::Body : StoredOrbitals<Value> {
  using StoredOrbitals<Value>::StoredOrbitals;

  /// Returns the implementation of orbitals. \throws Error if they are moved from
  static const std::shared_ptr<const Body>& of(const GridOrbitals& orbitals) {
    require(orbitals.body_ != nullptr, Fault::bad_argument, "pair densities: these orbitals are moved from");
    return orbitals.body_;
  }
};

/// Collective. Returns options with a known number of band groups.
inline FftOptions with_known_groups(const Communicator& comm, const FftOptions& asked) {
  const FftOptions options = with_device_defaults(asked, comm.size());
  return with_band_groups(options, comm.size(), options.band_groups == 0 ? usual_groups(comm) : 1);
}

template <class Value>
struct PairDensities<Value>::Body {
  using Orbitals = typename GridOrbitals<Value>::Body;
  using Sphere = KeptSphere<Value>;

  /// `options` have a known number of band groups.
  Body(const Communicator& ranks, const GridShape& shape, std::span<const Miller> waves,
       const PairDensityOptions& options)
      : comm(ranks), placed(in_given_order(ranks)), orbital_options(options.fft), group(placed), across(placed) {
    const int groups = options.fft.band_groups, members = comm.size() / groups;
    if (groups > 1) group = in_given_order(placed.split(comm.rank() / members));
    FftOptions of_pairs = in_one_group(options.fft);
    of_pairs.components = 1;
    together(comm, [&] { pairs = kept_sphere<Value>(group, shape, waves, of_pairs); });
    // plans of orbitals must have the same grid boxes
    orbital_options.decomposition = plan().options.decomposition;
    across = placed.split(group.rank());
    together(comm, [&] { together(across, "", [&](EqualArguments& same) { same.add("density_waves", waves); }); });
    report.pairs = pairs->report();
    report.band_groups = groups;
    report.block = options.block > 0 ? options.block : 64;
    const std::int64_t on_grid = OrbitalStream<Value>::orbitals_in_memory(groups, window()) +
                                 OrbitalStream<Value>::orbitals_in_messages(groups, plan().queue);
    report.memory = report.pairs.memory + static_cast<std::int64_t>(bytes_of_ring()) +
                    on_grid * orbital_options.components * plan().values() * std::int64_t{sizeof(Value)};
  }

  const SpherePlan& plan() const { return pairs->plan(); }
  int window() const { return plan().options.policy.window; }
  int my_group() const { return comm.rank() / group.size(); }
  /// Returns the number of orbitals of this rank's group.
  std::int64_t count_here(const Orbitals& orbitals) const {
    return orbitals.band_groups.bands_of(my_group(), orbitals.count);
  }
  /// Returns the number of pairs whose densities are kept: blocks for the pairs that are in flight while the function
  /// has a block.
  std::int64_t ring() const {
    const std::int64_t in_flight = (window() + 1) * plan().band_groups.bands_of_bundle();
    return report.block * (1 + (in_flight + report.block - 1) / report.block);
  }
  std::size_t bytes_of_ring() const { return static_cast<std::size_t>(ring() * plan().waves) * sizeof(Complex); }

  /// Collective.
  std::shared_ptr<const Orbitals> orbitals(std::span<const Miller> waves, const Coefficients<const Complex>& all,
                                           std::int64_t count) {
    together(comm, "orbitals", [&](EqualArguments& same) { same.add("count", count); });
    const auto kept = kept_sphere<Value>(placed, plan().shape, waves, orbital_options);
    const auto made = std::make_shared<Orbitals>(kept->plan());
    together(comm, [&] {
      kept->require_idle();
      require_coefficients(kept->plan(), count, all, input);
      made->allocate(kept->plan(), count);
    });
    SphereRun<Value> run(*kept, Flow::backward, {}, spent);
    run.feed(
        {.bands = count, .in = all.values.data(), .grid = made->orbital(0), .in_row = row_length(kept->plan(), all)});
    run.finish();
    return made;
  }

  void require_ours(const Orbitals& orbitals) const {
    const OrbitalPlace ours{placed,
                            plan().shape,
                            plan().box,
                            {.count = report.band_groups},
                            orbital_options.components,
                            plan().queue.space()};
    require(
        orbitals == ours, Fault::bad_argument,
        "pair densities: the orbitals have another communicator, grid, decomposition, number of band groups, number "
        "of components or memory space: create them with the same options");
  }

  void require_sum(const Orbitals& left, const Orbitals& right, std::span<const Value> coefficients,
                   const Coefficients<Complex>& out, std::int64_t sums) const {
    pairs->require_idle();
    require_ours(left);
    require_ours(right);
    require_coefficients(plan(), sums, out, output);
    require(std::ssize(coefficients) == sums * left.count * right.count, Fault::bad_argument,
            "pair densities: {} sums of {} x {} pairs need {} coefficients (got {})", sums, left.count, right.count,
            sums * left.count * right.count, coefficients.size());
  }

  Communicator comm;           // of the caller, for agreements
  Communicator placed;         // its ranks in the same order, for plans: density waves belong to groups of ranks
  FftOptions orbital_options;  // options of plans of orbitals
  Communicator group, across;  // this rank's band group; ranks of all groups with the same part of the grid
  std::shared_ptr<Sphere> pairs;
  PairDensityReport report{};
  ProgressReport spent{};
};

}  // namespace seiche
