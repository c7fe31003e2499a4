// SPDX-License-Identifier: BSD-3-Clause
/// \file  Rows of a plane: compact rows of frequencies, and functions on rows of the grid.
///
/// Half spheres have real rows. Two real rows a, b at y and y + 1 share the complex row a + i b. With A(g), B(g) for
/// g >= 0, its frequencies are F(g) = A(g) + i B(g) and F(-g) = conj(A(g)) + i conj(B(g)).
#pragma once

#include "cuda/lines.cuh"
#include "cuda/sphere_arguments.hpp"

namespace seiche::cuda {

/// Compact rows of one line. Frequency g is at first[g + below]. A line without rows has no frequencies.
template <class Value>
struct CompactRow {
  Value *first = nullptr, *second = nullptr;  ///< second: null, or the row of the next y of a half sphere
  int below = 0, above = -1;
};

template <int N, class X, class Value>
SEICHE_DEVICE void load_row(const X& line, const CompactRow<Value>& row, typename X::Registers& v) {
  unroll<X::values>([&](auto i) { v[i()] = Value{0, 0}; });
  line.each_frequency([&](auto i, int g) {
    const int x = g > row.above ? g - N : g;
    if (x >= -row.below) v[i()] = row.first[x + row.below];
  });
}

template <int N, class X, class Value>
SEICHE_DEVICE void store_row(const X& line, const CompactRow<Value>& row, const typename X::Registers& v) {
  line.each_frequency([&](auto i, int g) {
    const int x = g > row.above ? g - N : g;
    if (x >= -row.below) row.first[x + row.below] = v[i()];
  });
}

template <int N, class X, class Value>
SEICHE_DEVICE void load_real_rows(const X& line, const CompactRow<Value>& row, typename X::Registers& v) {
  unroll<X::values>([&](auto i) { v[i()] = Value{0, 0}; });
  line.each_frequency([&](auto i, int g) {
    const int x = g > row.above ? g - N : g, distance = x < 0 ? -x : x;
    if (distance > row.above) return;
    const Value a = row.first[distance], b = row.second ? row.second[distance] : Value{0, 0};
    if (x == 0) {
      v[i()] = {a.x, b.x};
    } else {
      v[i()] = x > 0 ? Value{a.x - b.y, a.y + b.x} : Value{a.x + b.y, b.x - a.y};
    }
  });
}

/// Gives each thread F(-g) of the frequencies g of its registers. Frequencies that are not stored remain undefined.
template <int N, class X>
SEICHE_DEVICE void mirror_frequencies(const X& line, const typename X::Registers& v, typename X::Registers& mirrored) {
  line.each_frequency([&](auto i, int g) { line.shared[g] = v[i()].x; });
  __syncwarp();
  line.each_frequency([&](auto i, int g) { mirrored[i()].x = line.shared[g == 0 ? 0 : N - g]; });
  __syncwarp();
  line.each_frequency([&](auto i, int g) { line.shared[g] = v[i()].y; });
  __syncwarp();
  line.each_frequency([&](auto i, int g) { mirrored[i()].y = line.shared[g == 0 ? 0 : N - g]; });
  __syncwarp();
}

/// The thread with frequency g >= 0 stores A(g), and the thread with -g stores B(g).
template <int N, class X, class Value>
SEICHE_DEVICE void store_real_rows(const X& line, const CompactRow<Value>& row, const typename X::Registers& v) {
  using Real = typename X::Real;
  typename X::Registers mirrored;
  mirror_frequencies<N>(line, v, mirrored);
  line.each_frequency([&](auto i, int g) {
    const int x = g > row.above ? g - N : g;
    const Value f = v[i()], m = mirrored[i()];
    if (x < -row.above) return;
    if (x >= 0) row.first[x] = {Real(0.5) * (f.x + m.x), Real(0.5) * (f.y - m.y)};
    if (x <= 0 && row.second) row.second[-x] = {Real(0.5) * (m.y + f.y), Real(0.5) * (f.x - m.x)};
  });
}

/// Where a line is on the grid.
struct GridRow {
  std::int64_t first;  ///< number of the point at x = 0, or a negative number: the line is unused
  bool second;         ///< half spheres: the row of the next y exists
};

template <bool Half, class X>
SEICHE_DEVICE void multiply(const X& line, const GridRow& row, const typename X::Real* potential,
                            typename X::Registers& v) {
  if (row.first < 0) return;
  const auto* first = potential + row.first;
  line.each_position([&](auto i, int x) {
    const auto factor = first[x];
    v[i()].x *= factor;
    if constexpr (!Half) v[i()].y *= factor;
    if (Half && row.second) v[i()].y *= first[x + X::points];
  });
}

/// Adds weight * |psi|^2. `starts`: replaces the stored values.
template <bool Half, class X>
SEICHE_DEVICE void add_density(const X& line, const GridRow& row, double* density, double weight, bool starts,
                               const typename X::Registers& v) {
  if (row.first < 0) return;
  double* first = density + row.first;
  line.each_position([&](auto i, int x) {
    const double re = v[i()].x, im = v[i()].y;
    const double square = Half ? re * re : re * re + im * im;
    first[x] = (starts ? 0 : first[x]) + weight * square;
    if (Half && row.second) first[x + X::points] = (starts ? 0 : first[x + X::points]) + weight * (im * im);
  });
}

}  // namespace seiche::cuda
