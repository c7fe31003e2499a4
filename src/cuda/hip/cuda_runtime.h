// SPDX-License-Identifier: BSD-3-Clause
/// \file  The part of CUDA that Seiche uses, by HIP.
#pragma once

#include <hip/hip_runtime.h>

#include "cuda/portable/pointer_attributes.h"

#define __grid_constant__

using cudaError_t = hipError_t;
constexpr cudaError_t cudaSuccess = hipSuccess, cudaErrorMemoryAllocation = hipErrorOutOfMemory,
                      cudaErrorNotReady = hipErrorNotReady;
inline const char* cudaGetErrorString(cudaError_t error) { return hipGetErrorString(error); }
inline cudaError_t cudaGetLastError() { return hipGetLastError(); }

// Devices

using cudaDeviceAttr = hipDeviceAttribute_t;
constexpr auto cudaDevAttrClusterLaunch = static_cast<cudaDeviceAttr>(-1);
constexpr cudaDeviceAttr cudaDevAttrMultiProcessorCount = hipDeviceAttributeMultiprocessorCount,
                         cudaDevAttrMaxSharedMemoryPerBlockOptin = hipDeviceAttributeMaxSharedMemoryPerBlock;
using cudaDeviceProp = hipDeviceProp_t;
inline cudaError_t cudaGetDeviceCount(int* count) { return hipGetDeviceCount(count); }
inline cudaError_t cudaGetDevice(int* device) { return hipGetDevice(device); }
inline cudaError_t cudaSetDevice(int device) { return hipSetDevice(device); }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return hipGetDeviceProperties(properties, device);
}
/// HIP has no clusters.
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  *value = 0;
  return attribute == cudaDevAttrClusterLaunch ? hipSuccess : hipDeviceGetAttribute(value, attribute, device);
}

// Memory

constexpr hipMemcpyKind cudaMemcpyDefault = hipMemcpyDefault;
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return hipMalloc(memory, bytes); }
inline cudaError_t cudaFree(void* memory) { return hipFree(memory); }
constexpr unsigned cudaHostRegisterPortable = hipHostRegisterPortable, cudaHostRegisterMapped = hipHostRegisterMapped;
inline cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return hipHostRegister(memory, bytes, flags);
}
inline cudaError_t cudaHostUnregister(void* memory) { return hipHostUnregister(memory); }
using cudaIpcMemHandle_t = hipIpcMemHandle_t;
constexpr unsigned cudaIpcMemLazyEnablePeerAccess = hipIpcMemLazyEnablePeerAccess;
inline cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  return hipIpcGetMemHandle(handle, memory);
}
inline cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags) {
  return hipIpcOpenMemHandle(memory, handle, flags);
}
inline cudaError_t cudaIpcCloseMemHandle(void* memory) { return hipIpcCloseMemHandle(memory); }
/// HIP returns an error for memory that it does not know.
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  hipPointerAttribute_t known{};
  const hipError_t error = hipPointerGetAttributes(&known, memory);
  if (error == hipErrorInvalidValue) {
    static_cast<void>(hipGetLastError());
    *attributes = {cudaMemoryTypeUnregistered, -1};
    return hipSuccess;
  }
  const cudaMemoryType unmanaged = known.memoryType == hipMemoryTypeDevice ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  *attributes = {known.isManaged ? cudaMemoryTypeManaged : unmanaged, known.device};
  return error;
}

// Streams

using cudaStream_t = hipStream_t;
using cudaEvent_t = hipEvent_t;
constexpr unsigned cudaStreamNonBlocking = hipStreamNonBlocking, cudaEventDisableTiming = hipEventDisableTiming;
#define cudaStreamLegacy (static_cast<cudaStream_t>(nullptr))
#define cudaStreamPerThread hipStreamPerThread
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return hipStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return hipStreamDestroy(stream); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return hipStreamSynchronize(stream); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
  return hipStreamWaitEvent(stream, event, flags);
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return hipEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return hipEventDestroy(event); }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return hipEventRecord(event, stream); }
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return hipEventQuery(event); }
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) { return hipEventSynchronize(event); }
inline cudaError_t cudaMemcpyAsync(void* into, const void* from, std::size_t bytes, hipMemcpyKind kind,
                                   cudaStream_t stream) {
  return hipMemcpyAsync(into, from, bytes, kind, stream);
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return hipMemsetAsync(memory, value, bytes, stream);
}

/// Threads of a wave run together. The barrier keeps the compiler from moving memory accesses across it.
__device__ inline void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
}
