// SPDX-License-Identifier: BSD-3-Clause
/// \file  Threads of CUDA kernels on the host. Each thread of a block is a fibre. All fibres of a launch share one
/// thread of the process.
#pragma once

#include <cstddef>
#include <functional>

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
};

// The running thread of a kernel.
inline constinit thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace seiche::emulated {

/// Memory of the running thread of a kernel.
struct Here {
  unsigned cluster_rank = 0, cluster_size = 1;
  std::byte* const* shared = nullptr;  ///< shared memory of each block of the cluster
  std::byte* slots = nullptr;          ///< 32 slots of 16 bytes that the threads of a warp share
};
inline constinit thread_local Here here;

enum class Wait : char { none, warp, block, cluster, end };
/// Suspends the running thread until all threads of the warp, block or cluster wait.
void wait_for(Wait others);

/// Runs the blocks of a launch one cluster after another. Warps run in random order. Shared memory contains NaN at the
/// start of each cluster, and an access beyond its end crashes. \throws Error if threads wait for each other forever
void run_blocks(const dim3& grid, unsigned threads, std::size_t shared, unsigned cluster,
                const std::function<void()>& kernel);

}  // namespace seiche::emulated
