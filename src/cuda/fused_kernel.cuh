// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms planes along y and x, applies a function on the grid, and transforms back. The compact plane stays
/// in shared memory of a block, or of a cluster of blocks that share its rows.
#pragma once

#include <algorithm>

#include "cuda/fused_shape.hpp"
#include "cuda/grid_rows.cuh"
#include "cuda/stick_columns.cuh"
#include "cuda/thread_block.cuh"

namespace seiche::cuda {

/// Constants of one size.
template <class Real, int N, bool Half>
struct FusedPlane {
  using Y = Lines<Real, N, Neighbours::other_lines, true>;
  using X = Lines<Real, N, Neighbours::same_line, true>;
  static constexpr int columns = Half ? N / 4 + 1 : 2 * (N / 4) + 1;
  /// Consecutive rows of a y line should be in different banks.
  static constexpr int banks = 128 / int(sizeof(Complex<Real>)),
                       pitch = columns + ((Y::lines - columns) % banks + banks) % banks;
  static constexpr int scratch = std::max(Y::scratch, X::scratch);  ///< reals of a warp
  /// With fewer registers, kernels of full spheres in double precision spill. Such shapes were slower.
  static constexpr int registers =
      sizeof(Real) == 4 ? 2 * Y::values + 32 : (Half ? 4 * Y::values + 48 : 8 * Y::values + 32);
  static constexpr FusedNeeds needs{
      N, columns, Half, Y::lines, registers, sizeof(Complex<Real>) * pitch, sizeof(Real) * scratch};
  static constexpr FusedShape measured = sizeof(Real) == 8 && !Half ? measured_shape(N) : FusedShape{};
  static constexpr FusedShape shape = measured.warps > 0 ? measured : needs.best();
  static_assert(shape.warps == 0 || needs.blocks(shape) > 0, "the measured shape does not fit a multiprocessor");

  /// Returns the blocks of a multiprocessor, at least 1 for shapes that need fewer registers than there are.
  template <int Warps, int Cluster>
  static constexpr int blocks() {
    const int most = needs.blocks({Warps, Cluster});
    return most > 1 ? most : 1;
  }
};

/// The tasks of a cluster: planes of rows.
struct PlaneTasks {
  int next, step, end;

  /// Potentials: planes at one z of all rows are neighbours in time, so that the potential stays in the L2 cache.
  template <bool Density>
  SEICHE_DEVICE static PlaneTasks of(const FusedArguments& a, int cluster, int clusters) {
    if constexpr (!Density) return {cluster, clusters, a.row_count * a.planes};
    const int rows = (a.row_count + a.groups - 1) / a.groups, first = cluster / a.planes * rows;
    const int last = first + rows < a.row_count ? first + rows : a.row_count;
    return {first * a.planes + cluster % a.planes, a.planes, last * a.planes};
  }
};

/// Shared memory and lines of one block.
template <class Real, int N, bool Density, bool Half, int Warps, int Cluster>
struct FusedBlock {
  using Plane = FusedPlane<Real, N, Half>;
  using Value = Complex<Real>;
  using Y = typename Plane::Y;
  using X = typename Plane::X;
  static constexpr int rows = Plane::needs.rows_of_block(Cluster), pitch = Plane::pitch, lines = Y::lines;

  const FusedArguments& a;
  const int rank, warp;
  Value* plane;   ///< rows of this block: row y of the grid is row y % rows of block y / rows
  Real* scratch;  ///< of the warp

  SEICHE_DEVICE explicit FusedBlock(const FusedArguments& arguments)
      : a(arguments),
        rank(rank_in_cluster<Cluster>()),
        warp(threadIdx.x / 32),
        plane(shared_memory<Value>()),
        scratch(reinterpret_cast<Real*>(plane + rows * pitch) + warp * Plane::scratch) {}

  SEICHE_DEVICE int row(int task) const { return Density ? task / a.planes : task % a.row_count; }
  SEICHE_DEVICE int z(int task) const { return Density ? task % a.planes : task / a.row_count; }
  SEICHE_DEVICE const Value* twiddles() const { return static_cast<const Value*>(a.twiddles); }
  SEICHE_DEVICE Value& at(int y, int column) const {
    return shared_of<Cluster>(plane, y / rows)[y % rows * pitch + column];
  }

  /// Transforms the columns of a task from the plane to sticks, and then those of the next task into the plane. Columns
  /// belong to one warp, so that no barrier is needed between the two. A negative number is no task.
  SEICHE_DEVICE void columns(int task, int next) const {
    const Y line(scratch, twiddles());
    SEICHE_ROLLED
    for (int first = (rank * Warps + warp) * lines; first < a.columns.count; first += Cluster * Warps * lines) {
      const int column = first + line.line;
      const bool live = column < a.columns.count;
      typename Y::Registers v;
      if (!Density && task >= 0) {
        unroll<Y::values>([&](auto i) { v[i()] = Value{0, 0}; });
        line.each_position([&](auto i, int y) {
          if (live) v[i()] = at(y, column);
        });
        line.from_grid(v);
        store_column(line, a.columns, column, z(task), a.rows.out[row(task)], v);
      }
      if (next >= 0) {
        load_column(line, a.columns, column, z(next), a.rows.in[row(next)], v);
        line.to_grid(v);
        line.each_position([&](auto i, int y) {
          if (live) at(y, column) = v[i()];
        });
      }
    }
  }

  /// Transforms rows of this block, applies the function, and transforms back. `starts`: the first row of a group.
  SEICHE_DEVICE void grid(int task, bool starts) const {
    constexpr int step = Half ? 2 : 1;
    const X line(scratch, twiddles());
    SEICHE_ROLLED
    for (int first = warp * lines * step; first < rows; first += Warps * lines * step) {
      const int y_here = first + line.line * step, y = rank * rows + y_here;
      const bool live = line.on && y_here < rows && y < N;
      CompactRow<Value> compact;
      if (live) {
        Value* place = plane + y_here * pitch;
        const int below = a.columns.below;
        compact = {place, Half && y + 1 < N ? place + pitch : nullptr, below, a.columns.count - 1 - below};
      }
      const GridRow on_grid{live ? (std::int64_t{z(task)} * N + y) * N : -1, y + 1 < N};
      typename X::Registers v;
      if constexpr (Half)
        load_real_rows<N>(line, compact, v);
      else
        load_row<N>(line, compact, v);
      line.to_grid(v);
      if constexpr (Density) {
        add_density<Half>(line, on_grid, density(), a.function.weights[row(task)], starts && a.partial, v);
      } else {
        multiply<Half>(line, on_grid, static_cast<const Real*>(a.function.potential), v);
        line.from_grid(v);
        if constexpr (Half)
          store_real_rows<N>(line, compact, v);
        else
          store_row<N>(line, compact, v);
      }
    }
  }

  /// Prefetches the sticks of a task. A thread reads columns whose places follow a formula.
  SEICHE_DEVICE void prefetch_columns(int task) const {
    const auto* sticks = static_cast<const Value*>(a.rows.in[row(task)]);
    for (int c = rank * Warps * 32 + threadIdx.x; c < a.columns.count; c += Cluster * Warps * 32) {
      const SegmentColumn column = a.columns.columns[c];
      const int length = column.y.below + column.y.above + 1;
      if (column.y.wrap == Segment::table || length <= 0) continue;
      const int lowest = column.y.wrap == 0 || column.y.above < 0 ? -column.y.below : 0;
      const Value* first = sticks + column.y.base + lowest + std::int64_t{z(task)} * column.pitch;
      for (int i = 0; i < length; i += 128 / int(sizeof(Value))) prefetch_l2(first + i);
    }
  }

 private:
  SEICHE_DEVICE double* density() const {
    if (!a.partial) return a.function.density;
    return a.partial + (blockIdx.x / Cluster / a.planes) * a.function.points;
  }
};

template <class Real, int N, bool Density, bool Half, int Warps, int Cluster>
__global__ void __launch_bounds__(Warps * 32, (FusedPlane<Real, N, Half>::template blocks<Warps, Cluster>()))
    fused_kernel(const __grid_constant__ FusedArguments a) {
  const FusedBlock<Real, N, Density, Half, Warps, Cluster> block(a);
  const PlaneTasks tasks = PlaneTasks::of<Density>(a, blockIdx.x / Cluster, gridDim.x / Cluster);
  if constexpr (Cluster > 1) synchronize<Cluster>();  // all blocks must run before others access their memory
  int task = -1, next = tasks.next < tasks.end ? tasks.next : -1;
  const int first = next;
  SEICHE_ROLLED
  while (true) {
    block.columns(task, next);
    if (next < 0) break;
    synchronize<Cluster>();
    task = next;
    next = task + tasks.step < tasks.end ? task + tasks.step : -1;
    if (next >= 0) block.prefetch_columns(next);
    block.grid(task, task == first);
    synchronize<Cluster>();
  }
  if constexpr (Cluster > 1) synchronize<Cluster>();  // others may still read the memory of this block
}

}  // namespace seiche::cuda
