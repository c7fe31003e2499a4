// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms along y between sticks and compact planes, which contain the columns that have sticks.
#pragma once

#include "cuda/stick_columns.cuh"
#include "cuda/thread_block.cuh"

namespace seiche::cuda {

constexpr int y_warps = 8;

/// Columns of a warp.
template <class Y>
struct YTask {
  int row, plane, column;
  bool live;

  SEICHE_DEVICE YTask(const YArguments& a, const Y& line) {
    const int task = blockIdx.x * y_warps + threadIdx.x / 32, sets = (a.columns.count + Y::lines - 1) / Y::lines;
    row = blockIdx.y;
    plane = task / sets;
    column = task % sets * Y::lines + line.line;
    live = plane < a.planes && column < a.columns.count;
  }
  /// Returns the place of the column in the compact plane.
  template <class Value>
  SEICHE_DEVICE Value* target(const YArguments& a, int n) const {
    return static_cast<Value*>(a.compact) + (std::int64_t{row} * a.planes + plane) * n * a.pitch + column;
  }
};

template <class Real, int N, bool Pruned>
__global__ void __launch_bounds__(y_warps * 32, 2) y_to_rows(const __grid_constant__ YArguments a) {
  using Y = Lines<Real, N, Neighbours::other_lines, Pruned>;
  const Y line(shared_memory<Real>() + threadIdx.x / 32 * Y::scratch, static_cast<const Complex<Real>*>(a.twiddles));
  const YTask<Y> task(a, line);
  if (task.plane >= a.planes) return;
  typename Y::Registers v;
  load_column(line, a.columns, task.column, task.plane, a.rows.in[task.row], v);
  line.to_grid(v);
  auto* compact = task.template target<Complex<Real>>(a, N);
  line.each_position([&](auto i, int y) {
    if (task.live) compact[std::int64_t{y} * a.pitch] = v[i()];
  });
}

template <class Real, int N, bool Pruned>
__global__ void __launch_bounds__(y_warps * 32, 2) y_from_rows(const __grid_constant__ YArguments a) {
  using Y = Lines<Real, N, Neighbours::other_lines, Pruned>;
  const Y line(shared_memory<Real>() + threadIdx.x / 32 * Y::scratch, static_cast<const Complex<Real>*>(a.twiddles));
  const YTask<Y> task(a, line);
  if (task.plane >= a.planes) return;
  typename Y::Registers v{};
  const auto* compact = task.template target<Complex<Real>>(a, N);
  line.each_position([&](auto i, int y) {
    if (task.live) v[i()] = compact[std::int64_t{y} * a.pitch];
  });
  line.from_grid(v);
  store_column(line, a.columns, task.column, task.plane, a.rows.out[task.row], v);
}

}  // namespace seiche::cuda
