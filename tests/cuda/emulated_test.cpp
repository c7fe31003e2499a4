// SPDX-License-Identifier: BSD-3-Clause
/// \file  The emulation of CUDA finds faults of kernels: missing barriers, uninitialised memory, accesses out of
/// bounds.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <numeric>
#include <vector>

#include "cuda/launch.cuh"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace seiche::cuda;

enum class Mistake { none, no_barrier, no_cluster_barrier, no_warp_barrier, divergent, unset, beyond };

constexpr int threads = 80, blocks = 6, all = threads * blocks;

/// Each thread adds the values of all threads of its cluster of two blocks, and the double of its neighbour's.
__global__ void add_up(const double* in, double* out, Mistake mistake) {
  double* mine = shared_memory<double>();
  double* sums = mine + threads;
  const int lane = threadIdx.x, at = blockIdx.x * threads + lane;
  if (mistake != Mistake::unset || lane != 7) mine[lane] = in[at];
  if (mistake != Mistake::no_cluster_barrier) sync_cluster();
  double total = 0;
  for (int i = 0; i < threads; ++i) total += of_block(mine, 1 - cluster_rank())[i];
  sums[lane] = total;
  if (mistake != Mistake::no_barrier) __syncthreads();
  total += sums[threads - 1 - lane];
  __syncthreads();
  if (mistake == Mistake::divergent && lane % 2 == 0) __syncthreads();
  sums[lane + (mistake == Mistake::beyond ? 1000 : 0)] = in[at];
  if (mistake != Mistake::no_warp_barrier) __syncwarp();
  if (lane % 2 == 0) total += sums[lane ^ 1];
  total += __shfl_xor_sync(~0U, in[at], 1) + (lane % 2 == 1 ? in[at - 1] : 0);
  sync_cluster();
  out[at] = total;
}

/// Runs the kernel; returns how many values are wrong, or -1 if the device reports an error.
int wrong_values(Mistake mistake) {
  std::vector<double> values(all), out(all);
  std::iota(values.begin(), values.end(), 0);
  void *in = nullptr, *result = nullptr;
  cudaMalloc(&in, all * sizeof(double));
  cudaMalloc(&result, all * sizeof(double));
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemcpyAsync(in, values.data(), all * sizeof(double), cudaMemcpyDefault, stream);
  launch(add_up, {dim3(blocks), threads, 2 * threads * sizeof(double), 2}, stream, static_cast<double*>(in),
         static_cast<double*>(result), mistake);
  cudaMemcpyAsync(out.data(), result, all * sizeof(double), cudaMemcpyDefault, stream);
  const cudaError_t error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(in);
  cudaFree(result);
  int wrong = 0;
  for (int i = 0; i < all; ++i) {
    const int block = i / threads, other = block ^ 1;
    const double total = threads * (threads * other + (threads - 1) / 2.0);
    if (out[static_cast<std::size_t>(i)] != 2 * total + 2 * (i ^ 1)) ++wrong;
  }
  return error == cudaSuccess ? wrong : -1;
}

TEST(EmulatedCuda, RunsCorrectKernels) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(wrong_values(Mistake::none), 0);
  compared(5);
}

TEST(EmulatedCuda, FindsMissingBarriers) {
  for (const Mistake mistake : {Mistake::no_barrier, Mistake::no_cluster_barrier, Mistake::no_warp_barrier})
    EXPECT_GT(wrong_values(mistake), 0) << static_cast<int>(mistake);
  EXPECT_EQ(wrong_values(Mistake::divergent), -1);
  EXPECT_NE(std::string(cudaGetErrorString(cudaErrorLaunchFailure)).find("different barriers"), std::string::npos);
  compared(5);
}

TEST(EmulatedCuda, FillsMemoryWithNan) {
  EXPECT_GT(wrong_values(Mistake::unset), 0);
  void* fresh = nullptr;
  double value = 0;
  cudaMalloc(&fresh, sizeof(double));
  cudaMemcpyAsync(&value, fresh, sizeof(double), cudaMemcpyDefault, cudaStreamPerThread);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaFree(fresh);
  EXPECT_TRUE(std::isnan(value));
  compared(2);
}

/// Tells whether a process that does this ends by a fault of memory.
template <class Work>
bool crashes(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

TEST(EmulatedCuda, CrashesBeyondTheEndOfMemory) {
  EXPECT_TRUE(crashes([] { wrong_values(Mistake::beyond); }));
  const auto writes = [](std::size_t bytes) {
    void* memory = nullptr;
    cudaMalloc(&memory, 512);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(memory, 0, bytes, stream);
    cudaStreamSynchronize(stream);
  };
  EXPECT_FALSE(crashes([&] { writes(512); }));
  EXPECT_TRUE(crashes([&] { writes(513); }));
  const auto writes_before = [] {
    void* memory = nullptr;
    cudaMalloc(&memory, 256);
    cudaMemsetAsync(static_cast<char*>(memory) - 1, 0, 1, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);
    cudaFree(memory);
  };
  EXPECT_EXIT(writes_before(), ::testing::KilledBySignal(SIGABRT), "before the start of an array");
  compared(4);
}

}  // namespace
}  // namespace seiche::testing
