// SPDX-License-Identifier: BSD-3-Clause
/// \file  Starts of kernels, with the limits of CUDA.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda/emulated/cuda_runtime.h"
#include "cuda/emulated/runtime.hpp"

namespace seiche::emulated {

namespace {

constexpr unsigned most_threads = 1024, largest_cluster = 8;
constexpr unsigned most_in_x = (1U << 31) - 1, most_in_y = 65535, most_in_z = 65535;  // blocks

/// Dynamic shared memory that kernels may use.
struct SharedLimits {
  std::mutex mutex;
  std::map<AnyKernel, std::size_t> of;

  std::size_t get(AnyKernel kernel) {
    constexpr std::size_t always_allowed = 48 << 10;
    const std::scoped_lock held(mutex);
    const auto found = of.find(kernel);
    return std::max(always_allowed, found == of.end() ? 0 : found->second);
  }
};
SharedLimits& limits() {
  static SharedLimits& all = *new SharedLimits;  // plans may outlive main()
  return all;
}

}  // namespace

cudaError_t set_shared_limit(AnyKernel kernel, int bytes) {
  if (bytes < 0 || bytes > most_shared) return failed(cudaErrorInvalidValue, "invalid argument");
  const std::scoped_lock held(limits().mutex);
  limits().of[kernel] = static_cast<std::size_t>(bytes);
  return cudaSuccess;
}

cudaError_t start(const cudaLaunchConfig_t& config, AnyKernel kernel, std::function<void()> thread) {
  const dim3 &grid = config.gridDim, &block = config.blockDim;
  const unsigned cluster = config.numAttrs > 0 ? config.attrs[0].val.clusterDim.x : 1;
  const auto within = [](unsigned count, unsigned most) { return count > 0 && count <= most; };
  const bool blocks = within(grid.x, most_in_x) && within(grid.y, most_in_y) && within(grid.z, most_in_z);
  const bool threads = within(block.x, most_threads) && block.y == 1 && block.z == 1;
  const bool clusters = within(cluster, largest_cluster) && grid.x % cluster == 0;
  if (!blocks || !threads || !clusters) return failed(cudaErrorInvalidConfiguration, "invalid configuration argument");
  if (config.dynamicSmemBytes > limits().get(kernel))
    return failed(cudaErrorInvalidValue, "invalid argument (too much shared memory)");
  return enqueue(config.stream,
                 [=, shared = config.dynamicSmemBytes] { run_blocks(grid, block.x, shared, cluster, thread); });
}

int occupancy(int usual) {
  const char* given = std::getenv("SEICHE_EMULATED_OCCUPANCY");
  if (given) std::from_chars(given, given + std::strlen(given), usual);
  return usual;
}

}  // namespace seiche::emulated
