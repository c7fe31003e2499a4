// SPDX-License-Identifier: BSD-3-Clause
/// \file  The part of CUDA that Seiche uses, on the host. Names and meaning are those of CUDA 13.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include "cuda/emulated/threads.hpp"
#include "cuda/portable/pointer_attributes.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __grid_constant__
#define SEICHE_FOR_TESTS extern "C" __attribute__((visibility("default")))

struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

// In kernels

inline void __syncthreads() { seiche::emulated::wait_for(seiche::emulated::Wait::block); }
inline void __syncwarp(unsigned = ~0U) { seiche::emulated::wait_for(seiche::emulated::Wait::warp); }
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
template <class T>
T __shfl_sync(unsigned, T value, int lane, int width = 32) {
  static_assert(sizeof(T) <= 16);
  const int mine = static_cast<int>(threadIdx.x) % 32;
  std::byte* slots = seiche::emulated::here.slots;
  std::memcpy(slots + 16 * mine, &value, sizeof(T));
  __syncwarp();
  std::memcpy(&value, slots + 16 * (mine / width * width + (lane & (width - 1))), sizeof(T));
  __syncwarp();
  return value;
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return __shfl_sync(~0U, value, (static_cast<int>(threadIdx.x) ^ mask) % 32);
}

// Errors

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorLaunchFailure = 719
};
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();

// Two devices. Device 1 is current in the main thread at first, and device 0 in other threads.

enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrClusterLaunch = 120
};
struct cudaDeviceProp {
  char name[256];
};
cudaError_t cudaGetDeviceCount(int* count);
SEICHE_FOR_TESTS cudaError_t cudaGetDevice(int* device);
SEICHE_FOR_TESTS cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

// Memory. Device memory is guarded, contains NaN at first, and an access 256 bytes beyond its end crashes.

enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
SEICHE_FOR_TESTS cudaError_t cudaMalloc(void** memory, std::size_t bytes);
SEICHE_FOR_TESTS cudaError_t cudaFree(void* memory);
constexpr unsigned cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
struct cudaIpcMemHandle_t {
  char reserved[64];
};
constexpr unsigned cudaIpcMemLazyEnablePeerAccess = 1;
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory);
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void* memory);
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory);

// Streams. Each stream is a thread with random delays. As with CUDA, its device must be current when work is added.

struct CUstream_st;
using cudaStream_t = CUstream_st*;
struct CUevent_st;
using cudaEvent_t = CUevent_st*;
constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);

namespace seiche::emulated {

/// Runs a function of the host in the order of the stream, with access to device memory. Returns an error if another
/// device is current.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

}  // namespace seiche::emulated

// Starts of kernels. The limits are those of compute capability 9.

struct cudaLaunchAttributeValue {
  dim3 clusterDim;
};
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4 };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id = cudaLaunchAttributeClusterDimension;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

namespace seiche::emulated {

using AnyKernel = void (*)();
cudaError_t set_shared_limit(AnyKernel kernel, int bytes);
/// Starts a kernel on a stream, unless the launch exceeds a limit.
cudaError_t start(const cudaLaunchConfig_t& config, AnyKernel kernel, std::function<void()> thread);
/// Returns how many blocks of a multiprocessor or clusters of the device run at once: SEICHE_EMULATED_OCCUPANCY, or
/// `usual`.
int occupancy(int usual);

}  // namespace seiche::emulated

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute, int bytes) {
  return seiche::emulated::set_shared_limit(reinterpret_cast<seiche::emulated::AnyKernel>(kernel), bytes);
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const auto thread = [kernel, values = std::tuple<Parameters...>(std::forward<Arguments>(arguments)...)] {
    std::apply(kernel, values);
  };
  return seiche::emulated::start(*config, reinterpret_cast<seiche::emulated::AnyKernel>(kernel), thread);
}
// Few blocks run at once, so that blocks of small tests have several tasks.
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* count, void (*)(Parameters...), int, std::size_t) {
  *count = seiche::emulated::occupancy(1);
  return cudaSuccess;
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int* count, void (*)(Parameters...), const cudaLaunchConfig_t*) {
  *count = seiche::emulated::occupancy(3);
  return cudaSuccess;
}
