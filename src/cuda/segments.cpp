// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/segments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace seiche::cuda {

namespace {

/// Returns the segment of -below..above whose values are consecutive, or nothing. number(g) is the place of a value, or
/// a negative number. Frequencies ascend, or ascend with negative ones last.
template <class Number>
std::optional<Segment> consecutive(std::int32_t below, std::int32_t above, const Number& number) {
  const std::int32_t count = below + above + 1;
  if (count <= 0) return Segment{0, -1, 0, 0};
  for (const std::int32_t wrap : {0, count}) {
    const std::int32_t lowest = number(-below);
    const std::int32_t base = lowest + below - (below > 0 ? wrap : 0);
    bool same = lowest >= 0;
    for (std::int32_t g = -below; g <= above && same; ++g) same = number(g) == base + g + (g < 0 ? wrap : 0);
    if (same) return Segment{below, above, base, wrap};
  }
  return std::nullopt;
}

/// Returns where the sticks of a column are, if their pitches are equal and they are consecutive.
SegmentColumn column_of(const DeviceSphere& sphere, const DeviceSphere::Column& column) {
  const auto place = [&](std::int32_t y) {
    return sphere.places[static_cast<std::size_t>(column.first + y + column.below)];
  };
  if (column.below + column.above < 0) return {};
  const std::int32_t pitch = place(-column.below).pitch;
  const auto offset = [&](std::int32_t y) { return place(y).pitch == pitch ? place(y).offset : -1; };
  if (const auto segment = consecutive(column.below, column.above, offset)) return {*segment, pitch};
  return {{column.below, column.above, column.first + column.below, Segment::table}};
}

}  // namespace

void Extent::include(int lowest, int highest) {
  if (highest < lowest) return;
  low = empty() ? lowest : std::min(low, lowest);
  high = empty() ? highest : std::max(high, highest);
}

SphereExtents extents_of(const DeviceSphere& sphere) {
  SphereExtents all;
  for (const auto& stick : sphere.sticks) all.z.include(-stick.below, stick.above);
  for (const auto& column : sphere.columns) {
    all.x.include(column.x, column.x);
    all.y.include(-column.below, column.above);
  }
  if (sphere.half) all.x.include(0, 0);
  return all;
}

std::vector<Segment> stick_segments(const DeviceSphere& sphere) {
  std::vector<Segment> segments;
  segments.reserve(sphere.sticks.size());
  for (const auto& stick : sphere.sticks) {
    const auto wave = [&](std::int32_t z) {
      const std::int32_t entry = sphere.waves[static_cast<std::size_t>(stick.first + z + stick.below)];
      return entry >= 0 && entry % DeviceSphere::flags == 0 ? entry / DeviceSphere::flags : -1;
    };
    const Segment from_table{stick.below, stick.above, stick.first + stick.below, Segment::table};
    segments.push_back(consecutive(stick.below, stick.above, wave).value_or(from_table));
  }
  return segments;
}

std::vector<SegmentColumn> plane_columns(const DeviceSphere& sphere, const Extent& x) {
  std::vector<SegmentColumn> columns(x.empty() ? 0 : static_cast<std::size_t>(x.count()));
  for (const auto& column : sphere.columns)
    columns[static_cast<std::size_t>(column.x - x.low)] = column_of(sphere, column);
  return columns;
}

template <class Real>
std::vector<Complex<Real>> twiddle_table(int n) {
  std::vector<Complex<Real>> table(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * k / n;
    table[static_cast<std::size_t>(k)] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))};
  }
  return table;
}
template std::vector<Complex<float>> twiddle_table(int n);
template std::vector<Complex<double>> twiddle_table(int n);

}  // namespace seiche::cuda
