// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms along z between coefficients and sticks.
#pragma once

#include "cuda/lines.cuh"
#include "cuda/sphere_arguments.hpp"
#include "cuda/thread_block.cuh"

namespace seiche::cuda {

constexpr int z_warps = 8;

/// Lines of a block are turned in shared memory, so that the values of a plane are written in long runs.
template <class Real, int N>
struct ZTile {
  using Z = Lines<Real, N, Neighbours::other_lines, true>;
  static constexpr int sticks = z_warps * Z::lines, pitch = sticks + Z::lines;
  static constexpr std::size_t tile = sizeof(Complex<Real>) * N * pitch, scratch = sizeof(Real) * Z::scratch * z_warps;
  static constexpr std::size_t shared = tile > scratch ? tile : scratch;
};

/// Finds the place of a coefficient. Returns the index and the flags, or no_wave.
SEICHE_DEVICE std::int32_t wave_entry(const Segment& stick, const std::int32_t* waves, int z) {
  if (stick.wrap == Segment::table) return waves[stick.base + z];
  return DeviceSphere::flags * (stick.base + z + (z < 0 ? stick.wrap : 0));
}

template <class Real>
SEICHE_DEVICE Complex<Real> load_wave(const Complex<Real>* coefficients, std::int32_t entry) {
  if (entry < 0) return {0, 0};
  const Complex<Real> value = coefficients[entry / DeviceSphere::flags];
  return entry & DeviceSphere::conjugate ? Complex<Real>{value.x, -value.y} : value;
}

template <class Real>
SEICHE_DEVICE void store_wave(Complex<Real>* coefficients, std::int32_t entry, Complex<Real> value, bool adds) {
  if (entry < 0 || entry & DeviceSphere::mirror) return;
  if (entry & DeviceSphere::conjugate) value.y = -value.y;
  Complex<Real>& stored = coefficients[entry / DeviceSphere::flags];
  stored = adds ? stored + value : value;
}

/// Returns the blocks of a multiprocessor for which z_to_planes leaves registers. On an H100
/// (bench/cuda/sphere_bench.cu), lines of 128 and 256 points in double precision were fastest with 3. Each thread has
/// 16 of their values.
template <class Real>
constexpr int z_blocks(int n) {
  return sizeof(Real) == 8 && n >= 128 && line_shape(n).values() <= 16 ? 3 : 2;
}

/// One row is a y index of the grid of blocks.
template <class Real, int N, bool Pruned, int Blocks = z_blocks<Real>(N)>
__global__ void __launch_bounds__(z_warps * 32, Blocks) z_to_planes(const __grid_constant__ ZArguments<Real> a) {
  using Z = Lines<Real, N, Neighbours::other_lines, Pruned>;
  using Tile = ZTile<Real, N>;
  const int warp = threadIdx.x / 32, row = blockIdx.y, first = blockIdx.x * Tile::sticks;
  const Z z_line(shared_memory<Real>() + warp * Z::scratch, static_cast<const Complex<Real>*>(a.twiddles));
  const int stick = first + warp * Z::lines + z_line.line;
  Segment segment;
  if (stick < a.stick_count) segment = a.sticks[stick];
  const auto* coefficients = static_cast<const Complex<Real>*>(a.rows.in[row]);
  typename Z::Registers v{};
  z_line.each_frequency([&](auto i, int g) {
    const int z = g > segment.above ? g - N : g;
    if (z >= -segment.below) v[i()] = load_wave(coefficients, wave_entry(segment, a.waves, z));
  });
  z_line.to_grid(v);
  __syncthreads();  // scratch and tile are the same memory
  auto* tile = shared_memory<Complex<Real>>();
  z_line.each_position([&](auto i, int z) { tile[z * Tile::pitch + warp * Z::lines + z_line.line] = v[i()]; });
  __syncthreads();
  auto* sticks = static_cast<Complex<Real>*>(a.rows.out[row]) + first;
  for (int i = threadIdx.x; i < N * Tile::sticks; i += z_warps * 32) {
    const int z = i / Tile::sticks, s = i % Tile::sticks;
    if (first + s < a.stick_count) sticks[std::int64_t{z} * a.pitch + s] = tile[z * Tile::pitch + s];
  }
}

template <class Real, int N, bool Pruned, int Blocks = 2>
__global__ void __launch_bounds__(z_warps * 32, Blocks) z_from_planes(const __grid_constant__ ZArguments<Real> a) {
  using Z = Lines<Real, N, Neighbours::other_lines, Pruned>;
  const int warp = threadIdx.x / 32, row = blockIdx.y;
  const Z z_line(shared_memory<Real>() + warp * Z::scratch, static_cast<const Complex<Real>*>(a.twiddles));
  const int stick = (blockIdx.x * z_warps + warp) * Z::lines + z_line.line;
  Segment segment;
  if (stick < a.stick_count) segment = a.sticks[stick];
  const auto* sticks = static_cast<const Complex<Real>*>(a.rows.in[row]) + stick;
  typename Z::Registers v{};
  z_line.each_position([&](auto i, int z) {
    if (stick < a.stick_count) v[i()] = sticks[std::int64_t{z} * a.pitch];
  });
  z_line.from_grid(v);
  auto* coefficients = static_cast<Complex<Real>*>(a.rows.out[row]);
  z_line.each_frequency([&](auto i, int g) {
    const int z = g > segment.above ? g - N : g;
    if (z < -segment.below) return;
    store_wave(coefficients, wave_entry(segment, a.waves, z), scaled(v[i()], a.scale), a.adds);
  });
}

}  // namespace seiche::cuda
