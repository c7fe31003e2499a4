// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pairs of occupied orbitals with each other. If K(-G) = K(G), the potential of the pair (j, i) is the complex
/// conjugate of the potential of (i, j). One convolution then serves both pairs.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exact_exchange/exchange_body.hpp"
#include "exact_exchange/pair_rows.hpp"
#include "fft/sphere/on_grid.hpp"
#include "pair_densities/density_rows.hpp"

namespace seiche {

/// Functions on the grid of a convolution whose bands are pairs (i, j) with i <= j, in the order of j, then of i.
template <class Value>
class OwnPairs {
 public:
  using Orbitals = typename OccupiedOrbitals<Value>::Body;
  using Views = std::span<const View<Value>>;

  /// `sums` have the shape of the orbitals. \pre one band group has all orbitals
  OwnPairs(const Orbitals& held, Value* sums) : held_(held), sums_(sums) {}

  std::int64_t count() const { return first_of(held_.count); }

  /// Sets the values of a pair density.
  void fill(std::int64_t pair, const Box& tile, Views views) const {
    const auto [i, j] = orbitals_of(pair);
    const Value *psi = held_.orbital(j), *target = held_.orbital(i);
    set_pair_density(held_.box, held_.components, psi, target, tile, views[0]);
  }
  /// Adds the products of both orbitals and the potential of their pair to the sums of both.
  void take(std::int64_t pair, const Box& tile, Views views) const {
    const auto [i, j] = orbitals_of(pair);
    each_row(held_.box, tile, views[0], [&, i = i, j = j](std::int64_t row, std::int64_t first) {
      const Value* potential = views[0].data + row;
      for (int c = 0; c < held_.components; ++c) {
        const std::int64_t at = c * held_.points() + first;
        subtract_product(weight(j), held_.orbital(j) + at, potential, sum(i) + at, length());
        if (i != j) subtract_conjugate(weight(i), held_.orbital(i) + at, potential, sum(j) + at, length());
      }
    });
  }

 private:
  struct Pair {
    std::int64_t i, j;
  };
  /// Returns the number of pairs before those of orbital j.
  static std::int64_t first_of(std::int64_t j) { return j * (j + 1) / 2; }
  static Pair orbitals_of(std::int64_t pair) {
    auto j = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
    while (first_of(j) > pair) --j;  // the square root is rounded
    while (first_of(j + 1) <= pair) ++j;
    return {pair - first_of(j), j};
  }
  double weight(std::int64_t i) const { return held_.weights[static_cast<std::size_t>(i)]; }
  Value* sum(std::int64_t i) const { return sums_ + i * held_.values_of_orbital(); }
  std::int64_t length() const { return held_.box.size(0); }

  const Orbitals& held_;
  Value* sums_;
};

/// Collective. Computes V_x of the occupied orbitals. Adds it to the coefficients of `rows`, or replaces them. \pre one
/// band group has all orbitals, in host memory
template <class Value>
void apply_to_own(typename ExactExchange<Value>::Body& body, const typename OccupiedOrbitals<Value>::Body& held,
                  std::span<const double> kernel, const SphereBatch<Value>& rows) {
  std::optional<Memory> sums, factors;
  std::vector<typename ComplexOf<Value>::type> values;
  together(body.comm(), [&] {
    sums.emplace(held.values.size(), Fresh::zero);
    factors.emplace(body.pairs->bytes_of_factors(), Fresh::raw);
    values = body.complex_values(kernel);
  });
  auto* const kept = reinterpret_cast<double*>(factors->data());
  auto* const on_grid = reinterpret_cast<Value*>(sums->data());
  body.keep_factors(values, kept);
  const OwnPairs<Value> own(held, on_grid);
  const typename SphereFft<Value>::SpinorSpace fill = [&](auto... of) { own.fill(of...); },
                                               take = [&](auto... of) { own.take(of...); };
  body.transform(*body.pairs, Flow::convolution, {.bands = own.count()},
                 {.together = &take, .by = GivenBy::library, .fill = &fill, .factors = kept});
  SphereBatch<Value> result = rows;
  result.grid = on_grid;
  body.transform(*body.orbitals, Flow::forward, result);
}

}  // namespace seiche
