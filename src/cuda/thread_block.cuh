// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared memory and barriers of blocks and of clusters of blocks.
#pragma once

#include "cuda/arithmetic.cuh"

namespace seiche::cuda {

// Devices before compute capability 9 have no clusters. The host starts no kernels of clusters there.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define SEICHE_NO_CLUSTERS
#endif

/// Waits for all threads of the cluster. A block without a cluster has Size == 1.
template <int Size>
SEICHE_DEVICE void synchronize() {
  if constexpr (Size == 1) {
    __syncthreads();
  } else {
#ifndef SEICHE_NO_CLUSTERS
    sync_cluster();
#endif
  }
}

template <int Size>
SEICHE_DEVICE int rank_in_cluster() {
#ifndef SEICHE_NO_CLUSTERS
  if constexpr (Size > 1) return static_cast<int>(cluster_rank());
#endif
  return 0;
}

/// Returns the address of the same place in the shared memory of another block of the cluster.
template <int Size, class Value>
SEICHE_DEVICE Value* shared_of(Value* place, [[maybe_unused]] int rank) {
#ifndef SEICHE_NO_CLUSTERS
  if constexpr (Size > 1) return of_block(place, static_cast<unsigned>(rank));
#endif
  return place;
}

}  // namespace seiche::cuda
