// SPDX-License-Identifier: BSD-3-Clause
/// \file  The emulation of CUDA finds faults of kernels: missing barriers, uninitialised memory, accesses out of
/// bounds.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/emulated/guarded.hpp"
#include "cuda/launch.cuh"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace seiche::cuda;

enum class Mistake { none, no_barrier, no_cluster_barrier, no_warp_barrier, no_last_barrier, divergent, unset, beyond };

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
  sums[lane + (mistake == Mistake::beyond ? 100 : 0)] = in[at];
  if (mistake != Mistake::no_warp_barrier) __syncwarp();
  if (lane % 2 == 0) total += sums[lane ^ 1];
  total += __shfl_xor_sync(~0U, in[at], 1) + (lane % 2 == 1 ? in[at - 1] : 0);
  if (mistake != Mistake::no_last_barrier) sync_cluster();
  out[at] = total;
}

__global__ void nothing() {}

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

/// The order of warps differs from launch to launch.
int most_wrong_values(Mistake mistake) {
  int most = 0;
  for (int launch = 0; launch < 20; ++launch) most = std::max(most, wrong_values(mistake));
  return most;
}

TEST(EmulatedCuda, RunsCorrectKernels) {
  EXPECT_EQ(most_wrong_values(Mistake::none), 0);
  compared(20);
}

TEST(EmulatedCuda, FindsMissingBarriers) {
  for (const Mistake mistake :
       {Mistake::no_barrier, Mistake::no_cluster_barrier, Mistake::no_warp_barrier, Mistake::no_last_barrier})
    EXPECT_GT(most_wrong_values(mistake), 0) << static_cast<int>(mistake);
  EXPECT_EQ(wrong_values(Mistake::divergent), -1);
  EXPECT_NE(std::string(cudaGetErrorString(cudaErrorLaunchFailure)).find("different barriers"), std::string::npos);
  compared(6);
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

/// Returns the signal that ends a process that does this, or 0.
template <class Work>
int signal_of(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(EmulatedCuda, HasMemoryOutOfReachOfTheHost) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (const bool keys : {true, false}) {
    seiche::emulated::set_protection_keys(keys);
    void* memory = nullptr;
    cudaMalloc(&memory, 5000);
    auto* first = static_cast<volatile int*>(memory);
    cudaMemsetAsync(memory, 0, 5000, stream);
    cudaStreamSynchronize(stream);
    int seen = -1;
    EXPECT_EQ(signal_of([&] { seen = *first; }), SIGSEGV);
    EXPECT_EQ(signal_of([&] { *first = 1; }), SIGSEGV);
    EXPECT_EQ(signal_of([&] { std::thread([&] { seen = *first; }).join(); }), SIGSEGV);
    seiche::emulated::enqueue(stream,
                              [&] { std::thread([&] { *first = 5; }).join(); });  // kernels may share their work
    cudaMemcpyAsync(&seen, memory, sizeof seen, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    EXPECT_EQ(seen, 5);
    cudaFree(memory);
    compared(4);
  }
  seiche::emulated::set_protection_keys(true);
  cudaStreamDestroy(stream);
}

/// Launches that CUDA rejects. A kernel may use more than 48 KiB of shared memory after cudaFuncSetAttribute().
TEST(EmulatedCuda, RejectsLaunchesBeyondItsLimits) {
  const auto error = [](const dim3& grid, unsigned size, std::size_t shared = 0, unsigned cluster = 1) {
    cudaLaunchAttribute attribute{.val = {.clusterDim = {cluster}}};
    const cudaLaunchConfig_t config{grid, dim3(size), shared, cudaStreamPerThread, &attribute, 1};
    return cudaLaunchKernelEx(&config, nothing);
  };
  EXPECT_EQ(error({8, 1, 1}, 1024, 48 << 10, 8), cudaSuccess);
  EXPECT_EQ(error({1, 65535, 2}, 1), cudaSuccess);
  for (const dim3& grid : {dim3(0), dim3(1, 65536), dim3(1, 1, 65536), dim3(1, 0), dim3(1U << 31)})
    EXPECT_EQ(error(grid, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error({8, 1, 1}, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error({9, 1, 1}, 32, 0, 2), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error({32, 1, 1}, 32, 0, 16), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(1, 32, (48 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10), cudaSuccess);
  EXPECT_EQ(error(1, 32, 227 << 10), cudaSuccess);
  EXPECT_EQ(error(1, 32, (227 << 10) + 1), cudaErrorInvalidValue);
  cudaStreamSynchronize(cudaStreamPerThread);
  compared(14);
}

TEST(EmulatedCuda, EndsAfterAccessesOutsideOfArrays) {
  EXPECT_EQ(signal_of([] { wrong_values(Mistake::beyond); }), SIGSEGV);
  const auto writes = [](std::ptrdiff_t first, std::size_t bytes) {
    void* memory = nullptr;
    cudaMalloc(&memory, 512);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(static_cast<char*>(memory) + first, 0, bytes, stream);
    cudaStreamSynchronize(stream);
    cudaFree(memory);
  };
  EXPECT_EQ(signal_of([&] { writes(0, 512); }), 0);
  EXPECT_EQ(signal_of([&] { writes(0, 513); }), SIGBUS);
  EXPECT_EQ(signal_of([&] { writes(-1, 2); }), SIGABRT);
  compared(4);
}

/// Returns the signal that ends a process that closes memory of this one, which is freed before or after that.
int signal_of_other_process(bool freed_before) {
  void* memory = nullptr;
  cudaIpcMemHandle_t handle{};
  cudaMalloc(&memory, 256);
  cudaIpcGetMemHandle(&handle, memory);
  std::array<int, 2> opened{}, goes_on{};
  char byte = 0;
  if (pipe(opened.data()) != 0 || pipe(goes_on.data()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    void* mapped = nullptr;
    const bool done = cudaIpcOpenMemHandle(&mapped, handle, 0) == cudaSuccess && write(opened[1], &byte, 1) == 1 &&
                      read(goes_on[0], &byte, 1) == 1 && cudaIpcCloseMemHandle(mapped) == cudaSuccess;
    _exit(done ? 0 : 1);
  }
  EXPECT_EQ(read(opened[0], &byte, 1), 1);
  if (freed_before) cudaFree(memory);
  EXPECT_EQ(write(goes_on[1], &byte, 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  if (!freed_before) cudaFree(memory);
  for (const int end : {opened[0], opened[1], goes_on[0], goes_on[1]}) close(end);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(EmulatedCuda, EndsAfterMemoryOfOthersWasFreedTooEarly) {
  EXPECT_EQ(signal_of_other_process(false), 0);
  EXPECT_EQ(signal_of_other_process(true), SIGABRT);
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
