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

  /// Returns the number of the value in register i, or a negative number.
  template <class Y>
  SEICHE_DEVICE std::int64_t place_of(const Y& line, int i) const {
    const int g = line.frequency(i), y = g > column.y.above ? g - Y::points : g;
    return line.has_frequency(i) && y >= -column.y.below ? place(y) : -1;
  }
};

template <class Y>
SEICHE_DEVICE void load_column(const Y& line, const ColumnTable& table, int column, int plane, const void* row,
                               typename Y::Registers& v) {
  using Value = Complex<typename Y::Real>;
  const auto* sticks = static_cast<const Value*>(row);
  const ColumnOfPlane<typename Y::Real> place(table, column, plane);
  unroll<Y::values>([&](auto i) {
    v[i()] = Value{0, 0};
    if constexpr (i() < Y::frequencies && !Y::zero(i())) {
      if (const std::int64_t at = place.place_of(line, i()); at >= 0) v[i()] = sticks[at];
    }
  });
}

template <class Y>
SEICHE_DEVICE void store_column(const Y& line, const ColumnTable& table, int column, int plane, void* row,
                                const typename Y::Registers& v) {
  auto* sticks = static_cast<Complex<typename Y::Real>*>(row);
  const ColumnOfPlane<typename Y::Real> place(table, column, plane);
  unroll<Y::frequencies>([&](auto i) {
    if constexpr (!Y::zero(i())) {
      if (const std::int64_t at = place.place_of(line, i()); at >= 0) sticks[at] = v[i()];
    }
  });
}

}  // namespace seiche::cuda
