// SPDX-License-Identifier: BSD-3-Clause
#include "predict/machine.hpp"

#include <algorithm>
#include <cmath>

#include "support/require.hpp"

namespace seiche::predict {

namespace {

double mixed(double a, double b, double share) { return a + share * (b - a); }

LineRates mixed(const LineRates& a, const LineRates& b, double share, std::int64_t n) {
  return {n, mixed(a.cached_rows, b.cached_rows, share), mixed(a.cached_columns, b.cached_columns, share),
          mixed(a.rows, b.rows, share), mixed(a.columns, b.columns, share)};
}

/// The neighbours of `x` in an ascending list, and its relative distance from the first to the second: 0 to 1.
struct Between {
  std::size_t first, second;
  double share;
};

template <class List, class Key>
Between place_in(const List& list, double x, const Key& key) {
  std::size_t above = 0;
  while (above < list.size() && key(list[above]) < x) ++above;
  if (above == list.size()) return {above - 1, above - 1, 0};
  if (above == 0) return {0, 0, 0};
  const double low = key(list[above - 1]), high = key(list[above]);
  return {above - 1, above, (x - low) / (high - low)};
}

}  // namespace

Computing Machine::with(double busy) const {
  const auto [first, second, share] = place_in(computing, busy, [](const Computing& c) { return c.busy; });
  const Computing &a = computing[first], &b = computing[second];
  Computing all{busy, mixed(a.cached_copy, b.cached_copy, share), mixed(a.copy, b.copy, share), {}};
  for (const LineRates& of : a.lines) all.lines.push_back(mixed(of, rates_of(b, of.n), share, of.n));
  return all;
}

LineRates rates_of(const Computing& computing, std::int64_t n) {
  const auto size = [](const LineRates& of) { return std::log(static_cast<double>(of.n)); };
  const auto [first, second, share] = place_in(computing.lines, std::log(static_cast<double>(n)), size);
  return mixed(computing.lines[first], computing.lines[second], share, n);
}

double product_rate(const Machine& machine, double size) {
  require(!machine.products.empty(), Fault::bad_argument,
          "the machine file has no rates of block products: measure the machine again with seiche tune --machine");
  const auto [first, second, share] =
      place_in(machine.products, std::log(size), [](const ProductRate& of) { return std::log(of.size); });
  return mixed(machine.products[first].flops, machine.products[second].flops, share);
}

}  // namespace seiche::predict
