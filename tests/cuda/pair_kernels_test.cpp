// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of pair densities and of exact exchange, against the formulas.
#include <gtest/gtest.h>

#include <complex>

#include "cuda/module.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using Complex = std::complex<double>;
constexpr std::int64_t points = 301;  // more than a block of threads
constexpr int components = 2, targets = 3;

template <class Value>
std::vector<Value> values_of(std::int64_t count, double seed) {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = std::sin(seed + 1.7 * static_cast<double>(i)), b = std::cos(seed * static_cast<double>(i));
    if constexpr (std::is_floating_point_v<Value>) {
      values.push_back(static_cast<Value>(a));
    } else {
      using Real = typename Value::value_type;
      values.push_back({static_cast<Real>(a), static_cast<Real>(b)});
    }
  }
  return values;
}
template <class Value>
Value conjugated(const Value& a) {
  if constexpr (std::is_floating_point_v<Value>) {
    return a;
  } else {
    return std::conj(a);
  }
}

/// Returns the position of a point of a component.
std::size_t at(std::int64_t row, std::int64_t point) { return static_cast<std::size_t>(row * points + point); }

template <class Value>
void multiplies_pairs() {
  const auto stream = device().stream(nullptr);
  const auto psi = values_of<Value>(components * points, 1), phi = values_of<Value>(targets * components * points, 2),
             before = values_of<Value>(targets * components * points, 3);
  std::vector<Value> densities(targets * points), sums = before;
  for (std::int64_t t = 0; t < targets; ++t) {
    for (std::int64_t p = 0; p < points; ++p) {
      for (std::int64_t c = 0; c < components; ++c) {
        densities[at(t, p)] += conjugated(psi[at(c, p)]) * phi[at(t * components + c, p)];
      }
      for (std::int64_t c = 0; c < components; ++c) {
        sums[at(t * components + c, p)] -= 0.75 * psi[at(c, p)] * densities[at(t, p)];
      }
    }
  }
  const DeviceArray<Value> a(*stream, psi), b(*stream, phi), sum(*stream, before), density(targets * points);
  const DevicePairs pairs{a.data(), points, components, targets, std::is_same_v<Value, double>};
  stream->pair_densities(pairs, b.data(), density.data());
  stream->subtract_products(pairs, 0.75, density.data(), sum.data());
  stream->pair_densities({a.data(), 0, 1, 1, false}, nullptr, nullptr);
  stream->subtract_products({a.data(), 1, 1, 0, true}, 1, nullptr, nullptr);
  expect_close<Value>(density.values(*stream), densities, 1e-14);
  expect_close<Value>(sum.values(*stream), sums, 1e-14);
}

TEST(PairKernels, MultiplyPairs) {
  multiplies_pairs<double>();
  multiplies_pairs<Complex>();
}

template <class Value>
void sets_densities_in_single_precision() {
  const auto stream = device().stream(nullptr);
  const auto psi = values_of<Value>(components * points, 1), phi = values_of<Value>(targets * components * points, 2);
  std::vector<Value> expected(targets * points);
  for (std::int64_t t = 0; t < targets; ++t) {
    for (std::int64_t p = 0; p < points; ++p) {
      for (std::int64_t c = 0; c < components; ++c) {
        expected[at(t, p)] += conjugated(psi[at(c, p)]) * phi[at(t * components + c, p)];
      }
    }
  }
  const DeviceArray<Value> a(*stream, psi), b(*stream, phi), density(targets * points);
  stream->pair_densities({a.data(), points, components, targets, std::is_floating_point_v<Value>, true}, b.data(),
                         density.data());
  expect_close<Value>(density.values(*stream), expected, 1e-6);
}

TEST(PairKernels, SetDensitiesInSinglePrecision) {
  sets_densities_in_single_precision<float>();
  sets_densities_in_single_precision<std::complex<float>>();
}

TEST(PairKernels, MultiplyWavesByRealParts) {
  const auto stream = device().stream(nullptr);
  auto waves = values_of<Complex>(targets * points, 1);
  const auto factors = values_of<Complex>(points, 2);
  const DeviceArray<Complex> a(*stream, waves), b(*stream, factors);
  stream->multiply_waves(a.data(), b.data(), points, targets);
  stream->multiply_waves(nullptr, nullptr, 0, targets);
  for (std::int64_t row = 0; row < targets; ++row) {
    for (std::int64_t p = 0; p < points; ++p) waves[at(row, p)] *= factors[at(0, p)].real();
  }
  expect_close<Complex>(a.values(*stream), waves, 1e-15);
}

template <class Value>
void sums_lines() {
  constexpr std::int64_t lines = 300;
  const auto stream = device().stream(nullptr);
  const auto a = values_of<Value>(components * lines * 7, 1), b = values_of<Value>(components * lines * 7, 2);
  std::vector<double> overlaps(lines);
  for (std::size_t i = 0; i < a.size(); ++i) overlaps[i / 7 % lines] += std::real(conjugated(a[i]) * b[i]);
  const DeviceArray<Value> left(*stream, a), right(*stream, b);
  const DeviceArray<double> sums(overlaps.size());
  const bool real = std::is_same_v<Value, double>;
  stream->line_overlaps({7, lines, components, real}, left.data(), right.data(), sums.data());
  stream->line_overlaps({7, 0, components, real}, nullptr, nullptr, nullptr);
  expect_close<double>(sums.values(*stream), overlaps, 1e-14);
}

TEST(PairKernels, SumLines) {
  sums_lines<double>();
  sums_lines<Complex>();
}

}  // namespace
}  // namespace seiche::testing
