// SPDX-License-Identifier: BSD-3-Clause
/// \file  Starts kernels and gives kernels access to shared memory, with CUDA, with HIP and on the emulated device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <tuple>

#include "seiche/error.hpp"

#if !defined(SEICHE_CUDA_EMULATED) && !defined(__HIP__)
#include <cooperative_groups.h>
#endif

namespace seiche::cuda {

/// Checks the result of a function of CUDA. `name`: the function. \throws Error
inline void check(cudaError_t error, const char* name) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // forget the error, so that later calls do not report it
  throw Error(Fault::unsupported, std::string(name) + " of CUDA failed: " + cudaGetErrorString(error) +
                                      ": check the device with nvidia-smi, or compute on the host");
}

struct LaunchShape {
  dim3 grid;               ///< number of blocks, a multiple of `cluster` in x
  unsigned threads;        ///< of a block
  std::size_t shared = 0;  ///< bytes of dynamic shared memory of a block
  unsigned cluster = 1;    ///< blocks of a cluster, which are neighbours in x
};

#ifdef __HIP__

/// Starts a kernel on a stream. \pre shape.cluster == 1
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream, Arguments&&... arguments) {
  hipLaunchKernelGGL(kernel, shape.grid, dim3(shape.threads), shape.shared, stream,
                     std::forward<Arguments>(arguments)...);
  check(cudaGetLastError(), "hipLaunchKernel");
}

// Devices of HIP have no clusters. Kernels of clusters are compiled, but never started.
__device__ inline unsigned cluster_rank() { return 0; }
__device__ inline void sync_cluster() { __syncthreads(); }
template <class T>
__device__ T* of_block(T* mine, unsigned) {
  return mine;
}

__device__ inline void prefetch_l2(const void*) {}

#else

/// Starts a kernel on a stream.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream, Arguments&&... arguments) {
  constexpr std::size_t always_allowed = 48 << 10;
  if (shape.shared > always_allowed)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared)),
          "cudaFuncSetAttribute");
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {shape.cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), "cudaLaunchKernelEx");
}

#ifdef SEICHE_CUDA_EMULATED

/// Returns the dynamic shared memory of this block.
template <class T>
T* shared_memory() {
  return reinterpret_cast<T*>(emulated::here.shared[emulated::here.cluster_rank]);
}

inline unsigned cluster_rank() { return emulated::here.cluster_rank; }
inline void sync_cluster() { emulated::wait_for(emulated::Wait::cluster); }

/// Returns the address in the shared memory of another block of the cluster.
template <class T>
T* of_block(T* mine, unsigned rank) {
  auto* const* shared = emulated::here.shared;
  return reinterpret_cast<T*>(shared[rank] + (reinterpret_cast<std::byte*>(mine) - shared[cluster_rank()]));
}

inline void prefetch_l2(const void*) {}

#else

// Devices before compute capability 9 have no clusters. The host starts no kernels of clusters there.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ inline unsigned cluster_rank() { return cooperative_groups::this_cluster().block_rank(); }
__device__ inline void sync_cluster() { cooperative_groups::this_cluster().sync(); }

/// Returns the address in the shared memory of another block of the cluster.
template <class T>
__device__ T* of_block(T* mine, unsigned rank) {
  return cooperative_groups::this_cluster().map_shared_rank(mine, rank);
}

#endif

__device__ inline void prefetch_l2(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }

#endif

#endif

#ifndef SEICHE_CUDA_EMULATED

/// Returns the dynamic shared memory of this block.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(128) unsigned char memory[];
  return reinterpret_cast<T*>(memory);
}

#endif

}  // namespace seiche::cuda
