// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/fused_kernel.cuh"
#include "cuda/occupancy.cuh"
#include "shapes.hpp"

namespace seiche::bench {

template <class Real, int N, int Warps, int Cluster>
struct OneShape {
  static constexpr auto needs = cuda::FusedPlane<Real, N, false>::needs;
  static constexpr cuda::FusedShape shape{Warps, Cluster};
  static constexpr bool fits = needs.shared(shape) + needs.reserved <= needs.shared_limit &&
                               needs.shared(shape) * Cluster * 4 > needs.shared_limit;  // not more blocks than useful

  static cuda::LaunchShape launch_shape(int clusters) {
    return {dim3(static_cast<unsigned>(clusters * Cluster)), Warps * 32, needs.shared(shape), Cluster};
  }
  static int clusters(bool) {
    return cuda::resident_clusters(cuda::fused_kernel<Real, N, false, false, Warps, Cluster>, launch_shape(1));
  }
  static void start(const cuda::FusedArguments& a, bool, int clusters, cudaStream_t stream) {
    cuda::launch(cuda::fused_kernel<Real, N, false, false, Warps, Cluster>, launch_shape(clusters), stream, a);
  }
  static void add(std::vector<cuda::FusedKernels>& shapes) {
    if constexpr (fits) shapes.push_back({shape, needs.shared(shape), clusters, start});
  }
};

template <class Real, int N, int Cluster, int... Warps>
void add_warps(std::vector<cuda::FusedKernels>& shapes) {
  (OneShape<Real, N, Warps, Cluster>::add(shapes), ...);
}

template <class Real, int N>
std::vector<cuda::FusedKernels> shapes_of_size() {
  constexpr int cluster = cuda::FusedPlane<Real, N, false>::shape.cluster;
  std::vector<cuda::FusedKernels> shapes;
  add_warps<Real, N, cluster, 4, 6, 8, 9, 10, 12, 16, 20>(shapes);
  if constexpr (N >= 128) add_warps<Real, N, 2 * cluster, 8, 12>(shapes);
  return shapes;
}

}  // namespace seiche::bench
