// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms along x of compact planes, with a function on the grid in between.
#pragma once

#include "cuda/spinor_rows.cuh"
#include "cuda/thread_block.cuh"

namespace seiche::cuda {

constexpr int x_warps = 8;

/// Returns the lines that a warp transforms at once. Spinors need pairs of lines.
template <class X>
__host__ __device__ constexpr int lines_at_once(bool spinors) {
  return spinors ? X::lines / 2 : X::lines;
}

constexpr bool works_on_spinors(PlaneWork work) {
  return work == PlaneWork::spinor_potential || work == PlaneWork::magnetization;
}

/// A line of the grid, for all rows that its warp transforms.
struct XLine {
  int plane, y;
  bool live;

  template <class X>
  SEICHE_DEVICE XLine(const XArguments& a, const X& line, bool spinors) {
    const int at_once = lines_at_once<X>(spinors), within = spinors ? line.line / 2 : line.line;
    const int number = (blockIdx.x * x_warps + threadIdx.x / 32) * at_once + within;
    const int of_plane = a.half ? (a.ny + 1) / 2 : a.ny;
    plane = number / of_plane;
    y = number % of_plane * (a.half ? 2 : 1);
    live = line.on && plane < a.planes && within < at_once;
  }
};

template <class Value>
SEICHE_DEVICE CompactRow<Value> compact_row(const XArguments& a, const XLine& at, int row) {
  if (!at.live) return {};
  Value* first = static_cast<Value*>(a.compact) + ((std::int64_t{row} * a.planes + at.plane) * a.ny + at.y) * a.pitch;
  return {first, a.half && at.y + 1 < a.ny ? first + a.pitch : nullptr, a.below, a.columns - 1 - a.below};
}

/// Stores or loads values of the grid. They are real for half spheres.
template <bool Stores, class X>
SEICHE_DEVICE void grid_values(const X& line, const XArguments& a, const GridRow& row, void* grid,
                               typename X::Registers& v) {
  if (row.first < 0) return;
  using Real = typename X::Real;
  Complex<Real>* values = static_cast<Complex<Real>*>(grid) + row.first;
  Real* reals = static_cast<Real*>(grid) + row.first;
  line.each_position([&](auto i, int x) {
    auto move = [](auto& memory, auto& value) {
      if constexpr (Stores)
        memory = value;
      else
        value = memory;
    };
    if (!a.half) return move(values[x], v[i()]);
    move(reals[x], v[i()].x);
    if (row.second) move(reals[x + X::points], v[i()].y);
  });
}

template <class X>
SEICHE_DEVICE void apply_function(const X& line, const XArguments& a, const GridRow& at, int row,
                                  typename X::Registers& v) {
  const GridArguments& f = a.function;
  const auto* potential = static_cast<const typename X::Real*>(f.potential);
  switch (f.work) {
    case PlaneWork::potential:
      return a.half ? multiply<true>(line, at, potential, v) : multiply<false>(line, at, potential, v);
    case PlaneWork::density:
      if (a.half) return add_density<true>(line, at, f.density, f.weights[row], false, v);
      return add_density<false>(line, at, f.density, f.weights[row], false, v);
    case PlaneWork::spinor_potential:
      return multiply_spinor(line, at, potential, f.points, v);
    case PlaneWork::magnetization:
      return add_magnetization(line, at, f.density, f.points, f.weights[row], v);
    case PlaneWork::to_grid:
      return grid_values<true>(line, a, at, a.grid[row], v);
    case PlaneWork::from_grid:
      return grid_values<false>(line, a, at, a.grid[row], v);
  }
}

/// A warp adds densities of all rows, or transforms the row that is the y index of the grid of blocks.
template <class Real, int N, bool Pruned>
__global__ void __launch_bounds__(x_warps * 32, 2) x_kernel(const __grid_constant__ XArguments a) {
  using X = Lines<Real, N, Neighbours::same_line, Pruned>;
  const X line(shared_memory<Real>() + threadIdx.x / 32 * X::scratch, static_cast<const Complex<Real>*>(a.twiddles));
  const PlaneWork work = a.function.work;
  const bool spinors = works_on_spinors(work), goes = work != PlaneWork::from_grid,
             returns = work == PlaneWork::potential || work == PlaneWork::spinor_potential || !goes;
  const XLine at(a, line, spinors);
  const int of_unit = spinors ? 2 : 1;
  SEICHE_ROLLED
  for (int unit = blockIdx.y; unit < a.row_count / of_unit; unit += gridDim.y) {
    const int row = unit * of_unit + (spinors ? line.line % 2 : 0);
    const auto compact = compact_row<Complex<Real>>(a, at, row);
    const GridRow grid{at.live ? (std::int64_t{at.plane} * a.ny + at.y) * N : -1, compact.second != nullptr};
    typename X::Registers v{};
    if (goes) {
      a.half ? load_real_rows<N>(line, compact, v) : load_row<N>(line, compact, v);
      line.to_grid(v);
    }
    apply_function(line, a, grid, row, v);
    if (returns) {
      line.from_grid(v);
      a.half ? store_real_rows<N>(line, compact, v) : store_row<N>(line, compact, v);
    }
  }
}

}  // namespace seiche::cuda
