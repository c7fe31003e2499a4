// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arguments of the kernels of sphere FFTs. They are passed by value, and point to device memory.
#pragma once

#include <cstdint>

#include "device/sphere_kernels.hpp"

namespace seiche::cuda {

constexpr int max_rows = 32;  ///< of one launch: kernel arguments hold their pointers

/// Consecutive frequencies -below..above, and where their values are.
struct alignas(16) Segment {
  std::int32_t below = 0, above = -1;
  /// The value at g is number base + g, plus `wrap` if g < 0. If wrap == table, entry base + g of a table tells.
  std::int32_t base = 0, wrap = 0;
  static constexpr std::int32_t table = -1;
};

/// Sticks with equal x.
struct SegmentColumn {
  Segment y;
  std::int32_t pitch = 0;  ///< from one plane to the next; unused if y.wrap == Segment::table
};

struct RowPointers {
  const void* in[max_rows];
  void* out[max_rows];
};

/// Arguments of transforms along z.
template <class Real>
struct ZArguments {
  RowPointers rows;  ///< coefficients and sticks, or sticks and coefficients
  int row_count;
  const Segment* sticks;
  int stick_count, pitch;     ///< the value of stick s at z is number s + z * pitch
  const std::int32_t* waves;  ///< see DeviceSphere::waves
  const void* twiddles;
  Real scale;  ///< from planes
  bool adds;   ///< from planes
};

/// The columns of planes. Column c has x = c - below.
struct ColumnTable {
  const SegmentColumn* columns;
  int count, below;
  const DeviceSphere::Place* places;  ///< see DeviceSphere::places
};

/// Arguments of transforms along y between sticks and compact planes [row][z][y][pitch of x].
struct YArguments {
  RowPointers rows;  ///< sticks
  int row_count, planes;
  ColumnTable columns;
  const void* twiddles;
  void* compact;
  int pitch;
};

/// What the kernels do on the grid.
struct GridArguments {
  PlaneWork work;
  const void* potential;
  double* density;
  double weights[max_rows];
  std::int64_t points;  ///< of a field
};

/// Arguments of transforms along x of compact planes.
struct XArguments {
  void* grid[max_rows];  ///< to_grid, from_grid
  GridArguments function;
  int row_count, planes, ny;
  bool half;
  int columns, below;  ///< see ColumnTable
  const void* twiddles;
  void* compact;
  int pitch;
};

/// Arguments of the kernel that transforms whole planes.
struct FusedArguments {
  RowPointers rows;  ///< sticks
  int row_count, planes;
  ColumnTable columns;
  GridArguments function;
  const void* twiddles;
  int groups;       ///< of rows whose densities are summed separately
  double* partial;  ///< densities of the groups, or null: the only group adds to function.density
};

}  // namespace seiche::cuda
