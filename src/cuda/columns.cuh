// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads and writes the sticks of a column, which are y lines before they are transformed.
#pragma once

#include "cuda/lines.cuh"
#include "cuda/sphere_arguments.hpp"

namespace seiche::cuda {

/// One column of one plane.
template <class Real>
struct ColumnOfPlane {
  SegmentColumn column;
  const DeviceSphere::Place* places;
  int plane;

  SEICHE_DEVICE ColumnOfPlane(const ColumnTable& table, int number, int z) : places(table.places), plane(z) {
    if (number < table.count) column = table.columns[number];
  }

  /// Returns the number of a value of the row, or a negative number.
  SEICHE_DEVICE std::int64_t place(int y) const {
    if (column.y.wrap == Segment::table) {
      const DeviceSphere::Place stick = places[column.y.base + y];
      return stick.offset < 0 ? -1 : stick.offset + std::int64_t{plane} * stick.pitch;
    }
    return column.y.base + y + (y < 0 ? column.y.wrap : 0) + std::int64_t{plane} * column.pitch;
  }

  /// Calls function(register, place) for the sticks of the column.
  template <class Y, class Function>
  SEICHE_DEVICE void each_stick(const Y& line, int n, Function&& function) const {
    line.each_frequency([&](auto i, int g) {
      const int y = g > column.y.above ? g - n : g;
      if (y < -column.y.below) return;
      if (const std::int64_t at = place(y); at >= 0) function(i, at);
    });
  }
};

template <int N, class Y>
SEICHE_DEVICE void load_column(const Y& line, const ColumnTable& table, int column, int plane, const void* row,
                               typename Y::Registers& v) {
  using Value = Complex<typename Y::Real>;
  const auto* sticks = static_cast<const Value*>(row);
  unroll<Y::values>([&](auto i) { v[i()] = Value{0, 0}; });
  ColumnOfPlane<typename Y::Real>(table, column, plane).each_stick(line, N, [&](auto i, std::int64_t at) {
    v[i()] = sticks[at];
  });
}

template <int N, class Y>
SEICHE_DEVICE void store_column(const Y& line, const ColumnTable& table, int column, int plane, void* row,
                                const typename Y::Registers& v) {
  auto* sticks = static_cast<Complex<typename Y::Real>*>(row);
  ColumnOfPlane<typename Y::Real>(table, column, plane).each_stick(line, N, [&](auto i, std::int64_t at) {
    sticks[at] = v[i()];
  });
}

}  // namespace seiche::cuda
