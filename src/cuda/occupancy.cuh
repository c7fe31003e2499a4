// SPDX-License-Identifier: BSD-3-Clause
/// \file  How many clusters of a kernel a device runs at once.
#pragma once

#include "cuda/launch.cuh"

namespace seiche::cuda {

#ifdef __HIP__

template <class... Parameters>
int resident_clusters(void (*kernel)(Parameters...), const LaunchShape& shape) {
  int device = 0, multiprocessors = 0, count = 0;
  check(cudaGetDevice(&device), "hipGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "hipDeviceGetAttribute");
  check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, static_cast<int>(shape.threads), shape.shared),
        "hipOccupancyMaxActiveBlocksPerMultiprocessor");
  return count * multiprocessors;
}

#else

/// `shape.grid` is not used.
template <class... Parameters>
int resident_clusters(void (*kernel)(Parameters...), const LaunchShape& shape) {
  int device = 0, multiprocessors = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared)),
        "cudaFuncSetAttribute");
  if (shape.cluster == 1) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, static_cast<int>(shape.threads), shape.shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return count * multiprocessors;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {shape.cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(multiprocessors / shape.cluster * shape.cluster);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaOccupancyMaxActiveClusters(&count, kernel, &config), "cudaOccupancyMaxActiveClusters");
  return count;
}

#endif

}  // namespace seiche::cuda
