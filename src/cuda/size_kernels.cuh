// SPDX-License-Identifier: BSD-3-Clause
/// \file  Starts the kernels of one length. A file of each length instantiates kernels_of_size.
#pragma once

#include "cuda/fused_kernel.cuh"
#include "cuda/occupancy.cuh"
#include "cuda/size_kernels.hpp"
#include "cuda/x_kernel.cuh"
#include "cuda/y_kernels.cuh"
#include "cuda/z_kernels.cuh"

namespace seiche::cuda {

inline dim3 blocks(int x, int y) { return {static_cast<unsigned>(x), static_cast<unsigned>(y), 1}; }

template <class Real, int N>
struct StartLines {
  using Across = Lines<Real, N, Neighbours::other_lines, true>;
  using Along = Lines<Real, N, Neighbours::same_line, true>;

  static void z_to_planes(const ZArguments<Real>& a, bool pruned, cudaStream_t stream) {
    using Tile = ZTile<Real, N>;
    const LaunchShape shape{blocks(rounds(a.stick_count, Tile::sticks), a.row_count), z_warps * 32, Tile::shared};
    launch(pruned ? cuda::z_to_planes<Real, N, true> : cuda::z_to_planes<Real, N, false>, shape, stream, a);
  }
  static void z_from_planes(const ZArguments<Real>& a, bool pruned, cudaStream_t stream) {
    const LaunchShape shape{blocks(rounds(a.stick_count, z_warps * Across::lines), a.row_count), z_warps * 32,
                            sizeof(Real) * Across::scratch * z_warps};
    launch(pruned ? cuda::z_from_planes<Real, N, true> : cuda::z_from_planes<Real, N, false>, shape, stream, a);
  }
  static LaunchShape y_shape(const YArguments& a) {
    const int warps = a.planes * rounds(a.columns.count, Across::lines);
    return {blocks(rounds(warps, y_warps), a.row_count), y_warps * 32, sizeof(Real) * Across::scratch * y_warps};
  }
  static void y_to_rows(const YArguments& a, bool pruned, cudaStream_t stream) {
    launch(pruned ? cuda::y_to_rows<Real, N, true> : cuda::y_to_rows<Real, N, false>, y_shape(a), stream, a);
  }
  static void y_from_rows(const YArguments& a, bool pruned, cudaStream_t stream) {
    launch(pruned ? cuda::y_from_rows<Real, N, true> : cuda::y_from_rows<Real, N, false>, y_shape(a), stream, a);
  }
  static void x(const XArguments& a, bool pruned, cudaStream_t stream) {
    const PlaneWork work = a.function.work;
    const bool adds = work == PlaneWork::density || work == PlaneWork::magnetization, spinors = works_on_spinors(work);
    const int lines = a.planes * (a.half ? (a.ny + 1) / 2 : a.ny), units = spinors ? a.row_count / 2 : a.row_count;
    const LaunchShape shape{blocks(rounds(lines, x_warps * lines_at_once<Along>(spinors)), adds ? 1 : units),
                            x_warps * 32, sizeof(Real) * Along::scratch * x_warps};
    launch(pruned ? x_kernel<Real, N, true> : x_kernel<Real, N, false>, shape, stream, a);
  }
};

template <class Real, int N, bool Half, int Warps = FusedPlane<Real, N, Half>::shape.warps,
          int Cluster = FusedPlane<Real, N, Half>::shape.cluster>
struct StartFused {
  static constexpr std::size_t shared = FusedPlane<Real, N, Half>::needs.shared({Warps, Cluster});

  static auto kernel(bool density) {
    return density ? fused_kernel<Real, N, true, Half, Warps, Cluster>
                   : fused_kernel<Real, N, false, Half, Warps, Cluster>;
  }
  static LaunchShape launch_shape(int clusters) { return {blocks(clusters * Cluster, 1), Warps * 32, shared, Cluster}; }
  static int clusters(bool density) { return resident_clusters(kernel(density), launch_shape(1)); }
  static void start(const FusedArguments& a, bool density, int clusters, cudaStream_t stream) {
    launch(kernel(density), launch_shape(clusters), stream, a);
  }
  static constexpr FusedKernels kernels() { return {{Warps, Cluster}, shared, clusters, start}; }
};

template <class Real, int N>
const SizeKernels<Real>& kernels_of_size() {
  using Start = StartLines<Real, N>;
  static const SizeKernels<Real> kernels{N,
                                         Start::z_to_planes,
                                         Start::z_from_planes,
                                         Start::y_to_rows,
                                         Start::y_from_rows,
                                         Start::x,
                                         StartFused<Real, N, false>::kernels(),
                                         StartFused<Real, N, true>::kernels()};
  return kernels;
}

}  // namespace seiche::cuda
