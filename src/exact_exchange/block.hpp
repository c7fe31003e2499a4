// SPDX-License-Identifier: BSD-3-Clause
/// \file  Some target orbitals on the grid, and functions that add their pairs with occupied orbitals.
#pragma once

#include <cstdint>
#include <span>

#include "exact_exchange/pair_rows.hpp"
#include "fft/sphere/on_grid.hpp"
#include "pair_densities/density_rows.hpp"
#include "pair_densities/orbital_stream.hpp"
#include "space/queue.hpp"

namespace seiche {

/// Memory for the targets of a call, and the factors of its kernel, in the memory space of the plan.
template <class Value>
class TargetBlock {
 public:
  using Real = typename ComplexOf<Value>::type::value_type;

  TargetBlock(const SpherePlan& plan, std::int64_t most_targets, std::size_t bytes_of_factors)
      : orbitals_(bytes(plan, most_targets), Fresh::raw, plan.queue.space()),
        sums_(bytes(plan, most_targets), Fresh::raw, plan.queue.space()),
        factors_(bytes_of_factors, Fresh::raw, plan.queue.space()) {}

  /// The targets of this rank's group: [target][component][z][y][x].
  Value* orbitals() const { return reinterpret_cast<Value*>(orbitals_.data()); }
  Value* sums() const { return reinterpret_cast<Value*>(sums_.data()); }
  Real* factors() const { return reinterpret_cast<Real*>(factors_.data()); }

 private:
  static std::size_t bytes(const SpherePlan& plan, std::int64_t most_targets) {
    return static_cast<std::size_t>(plan.bands_here(most_targets) * plan.values()) * sizeof(Value);
  }

  Memory orbitals_, sums_, factors_;
};

/// Functions on the grid of a convolution whose bands are pairs: `targets` pairs for each occupied orbital, in order.
template <class Value>
class PairFunctions {
 public:
  using Views = std::span<const View<Value>>;

  /// `weights`: of all occupied orbitals.
  PairFunctions(const SpherePlan& plan, const OrbitalStream<Value>& occupied, std::span<const double> weights,
                std::int64_t targets, const TargetBlock<Value>& block)
      : plan_(plan),
        occupied_(occupied),
        weights_(weights),
        targets_(targets),
        orbitals_(block.orbitals()),
        sums_(block.sums()) {}

  /// Sets the values of a pair density.
  void fill(std::int64_t pair, const Box& tile, Views views) const {
    set_pair_density(plan_.box, plan_.options.components, occupied_.orbital(pair / targets_),
                     orbitals_ + first_value_of(pair), tile, views[0]);
  }
  /// Adds the product of an occupied orbital and the potential of a pair to the sum of the target.
  void take(std::int64_t pair, const Box& tile, Views views) const {
    const Value* psi = occupied_.orbital(pair / targets_);
    Value* sum = sums_ + first_value_of(pair);
    const double weight = weight_of(pair);
    each_row(plan_.box, tile, views[0], [&](std::int64_t row, std::int64_t first) {
      for (int c = 0; c < plan_.options.components; ++c) {
        const std::int64_t at = c * plan_.box.volume() + first;
        subtract_product(weight, psi + at, views[0].data + row, sum + at, plan_.box.size(0));
      }
    });
  }
  /// Same as fill() and take() for `count` pairs of this rank's group with the same occupied orbital, on a device.
  /// `pair` is the first one. `stream`: of the convolution.
  void start_fill(DeviceStream& stream, std::int64_t pair, std::int64_t count, void* densities) const {
    stream.pair_densities(on_device(pair, count), orbitals_ + first_value_of(pair), densities);
  }
  void start_take(DeviceStream& stream, std::int64_t pair, std::int64_t count, const void* potentials) const {
    stream.subtract_products(on_device(pair, count), weight_of(pair), potentials, sums_ + first_value_of(pair));
  }

 private:
  double weight_of(std::int64_t pair) const { return weights_[static_cast<std::size_t>(pair / targets_)]; }
  DevicePairs on_device(std::int64_t pair, std::int64_t count) const {
    return {occupied_.orbital(pair / targets_), plan_.box.volume(), plan_.options.components,
            static_cast<std::int32_t>(count), plan_.kind.half};
  }
  std::int64_t first_value_of(std::int64_t pair) const {
    return pair % targets_ / plan_.band_groups.count * plan_.values();
  }

  const SpherePlan& plan_;
  const OrbitalStream<Value>& occupied_;
  std::span<const double> weights_;
  std::int64_t targets_;
  const Value* orbitals_;
  Value* sums_;
};

}  // namespace seiche
