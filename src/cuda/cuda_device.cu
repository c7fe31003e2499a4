// SPDX-License-Identifier: BSD-3-Clause
#include "device/device.hpp"

#include <cstring>

#include "cuda/array.hpp"
#include "cuda/cuda_line_kernels.hpp"
#include "cuda/cuda_sphere_kernels.hpp"
#include "cuda/current.hpp"
#include "cuda/launch.cuh"
#include "cuda/stream.hpp"

namespace seiche::cuda {

namespace {

int chosen_device() {
  int count = 0, device = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw Error(Fault::unsupported,
                std::string("no CUDA device can be used: ") +
                    (error == cudaSuccess ? "CUDA_VISIBLE_DEVICES hides all devices" : cudaGetErrorString(error)) +
                    ": check the driver and the device with nvidia-smi, or compute on the host");
  }
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

class CudaDevice : public Device {
 public:
  CudaDevice() { static_cast<void>(device_number()); }

  std::string name() const override {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, device_number()), "cudaGetDeviceProperties");
    return properties.name;
  }
  int number() const override { return device_number(); }
  void make_current() noexcept override { cudaSetDevice(device_number()); }
  void* allocate(std::size_t bytes) override { return cuda::allocate(bytes); }
  void free(void* memory) noexcept override { cudaFree(memory); }
  void pin(void* memory, std::size_t bytes) override {
    const Current current;
    check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), "cudaHostRegister");
  }
  void unpin(void* memory) noexcept override { cudaHostUnregister(memory); }
  MemoryHandle share(void* memory) override {
    const Current current;
    cudaIpcMemHandle_t handle;
    check(cudaIpcGetMemHandle(&handle, memory), "cudaIpcGetMemHandle");
    MemoryHandle bytes;
    static_assert(sizeof handle == sizeof bytes);
    std::memcpy(bytes.data(), &handle, sizeof bytes);
    return bytes;
  }
  void* open_shared(const MemoryHandle& bytes) override {
    const Current current;
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, bytes.data(), sizeof handle);
    void* memory = nullptr;
    check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
    return memory;
  }
  void close_shared(void* memory) noexcept override { cudaIpcCloseMemHandle(memory); }
  bool owns(const void* memory) override {
    if (!memory) return false;
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != device_number()) {
      throw Error(Fault::bad_argument, "an array is in memory of CUDA device " + std::to_string(attributes.device) +
                                           ", but this process computes on device " + std::to_string(device_number()) +
                                           ": allocate it there, or make its device current before the first plan");
    }
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  }
  std::unique_ptr<DeviceStream> stream(void* callers) override { return std::make_unique<Stream>(callers); }
  std::unique_ptr<SphereKernels> sphere(const DeviceSphere& sphere) override {
    if (auto own = own_sphere_kernels(sphere)) return own;
    return cufft_sphere_kernels(sphere);
  }
  std::unique_ptr<LineKernels> lines(const DeviceTransforms& transforms) override {
    return cufft_line_kernels(transforms);
  }
};

}  // namespace

int device_number() {
  static const int device = chosen_device();
  return device;
}

Current::Current() {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  if (before_ != device_number()) check(cudaSetDevice(device_number()), "cudaSetDevice");
}

Current::~Current() {
  if (before_ != device_number()) cudaSetDevice(before_);
}

}  // namespace seiche::cuda

extern "C" __attribute__((visibility("default"))) seiche::Device* seiche_device() {
  static seiche::cuda::CudaDevice& device = *new seiche::cuda::CudaDevice;  // plans may outlive main()
  return &device;
}
