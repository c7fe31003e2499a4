// SPDX-License-Identifier: BSD-3-Clause
/// \file  Some target orbitals on the grid, and the sums of their pairs with all occupied orbitals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "exact_exchange/occupied_stream.hpp"
#include "exact_exchange/pair_rows.hpp"
#include "fft/sphere/on_grid.hpp"
#include "fft/sphere/sphere_run.hpp"

namespace seiche {

/// Functions on the grid of a convolution whose bands are pairs: `targets` pairs for each occupied orbital, in order.
template <class Value>
class PairFunctions {
 public:
  using Views = std::span<const View<Value>>;

  /// `orbitals` and `sums` have the targets of this rank's group: [target][component][z][y][x].
  PairFunctions(const SpherePlan& plan, const OccupiedStream<Value>& occupied, std::int64_t targets,
                const Value* orbitals, Value* sums)
      : plan_(plan), occupied_(occupied), targets_(targets), orbitals_(orbitals), sums_(sums) {}

  /// Sets the values of a pair density.
  void fill(std::int64_t pair, const Box& tile, Views views) const {
    const Value *psi = occupied_.orbital(pair / targets_), *target = orbitals_ + first_value_of(pair);
    const std::int64_t n = plan_.box.size(0);
    each_row(plan_.box, tile, views[0], [&](std::int64_t row, std::int64_t first) {
      Value* density = views[0].data + row;
      set_pair(psi + first, target + first, density, n);
      for (int c = 1; c < plan_.options.components; ++c) {
        const std::int64_t at = c * plan_.box.volume() + first;
        add_pair(psi + at, target + at, density, n);
      }
    });
  }
  /// Adds the product of an occupied orbital and the potential of a pair to the sum of the target.
  void take(std::int64_t pair, const Box& tile, Views views) const {
    const Value* psi = occupied_.orbital(pair / targets_);
    Value* sum = sums_ + first_value_of(pair);
    const double weight = occupied_.weight(pair / targets_);
    each_row(plan_.box, tile, views[0], [&](std::int64_t row, std::int64_t first) {
      for (int c = 0; c < plan_.options.components; ++c) {
        const std::int64_t at = c * plan_.box.volume() + first;
        subtract_product(weight, psi + at, views[0].data + row, sum + at, plan_.box.size(0));
      }
    });
  }

 private:
  std::int64_t first_value_of(std::int64_t pair) const {
    return pair % targets_ / plan_.band_groups.count * plan_.values();
  }

  const SpherePlan& plan_;
  const OccupiedStream<Value>& occupied_;
  std::int64_t targets_;
  const Value* orbitals_;
  Value* sums_;
};

/// Memory for the targets of a call, and the factors of its kernel.
template <class Value>
class TargetBlock {
 public:
  using Real = typename ComplexOf<Value>::type::value_type;

  TargetBlock(const SpherePlan& plan, std::int64_t most_targets, std::int64_t factors)
      : plan_(plan),
        orbitals_(bytes(plan.bands_here(most_targets)), Fresh::raw),
        sums_(bytes(plan.bands_here(most_targets)), Fresh::raw),
        factors_(static_cast<std::size_t>(factors) * sizeof(Real), Fresh::raw) {}

  Value* orbitals() const { return reinterpret_cast<Value*>(orbitals_.data()); }
  Value* sums() const { return reinterpret_cast<Value*>(sums_.data()); }
  Real* factors() const { return reinterpret_cast<Real*>(factors_.data()); }

  /// Collective. Sets sums() to V_x of `targets` target orbitals of all groups. \pre the first round of `occupied` has
  /// started
  void sum_pairs(KeptSphere<Value>& pairs, OccupiedStream<Value>& occupied, std::int64_t targets,
                 ProgressReport& spent) const {
    std::fill_n(sums(), plan_.bands_here(targets) * plan_.values(), Value{});
    const PairFunctions<Value> functions(plan_, occupied, targets, orbitals(), sums());
    const auto bound = [&](auto member) {
      return [&functions, member](std::int64_t pair, const Box& tile, std::span<const View<Value>> views) {
        (functions.*member)(pair, tile, views);
      };
    };
    const typename SphereFft<Value>::SpinorSpace fill = bound(&PairFunctions<Value>::fill),
                                                 take = bound(&PairFunctions<Value>::take);
    SphereRun<Value> run(pairs, Flow::convolution,
                         {.together = &take, .of_user = false, .fill = &fill, .factors = factors()}, spent);
    const std::int64_t groups = occupied.groups();
    for (std::int64_t j = 0; j < occupied.count(); ++j) {
      if (j % groups == 0) {
        occupied.wait([&] { run.poll(); });
        occupied.start(j / groups + 1);
      }
      for (std::int64_t target = 0; target < targets; target += groups) {
        run.feed({.bands = std::min(groups, targets - target)});
        occupied.poll();
      }
    }
    if (occupied.fault()) run.fail(*occupied.fault());
    run.finish();
  }

 private:
  std::size_t bytes(std::int64_t orbitals) const {
    return static_cast<std::size_t>(orbitals * plan_.values()) * sizeof(Value);
  }

  const SpherePlan& plan_;
  Memory orbitals_, sums_, factors_;
};

}  // namespace seiche
