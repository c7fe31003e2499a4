// SPDX-License-Identifier: BSD-3-Clause
/// \file  Devices with their own memory. Modules loaded at run time implement them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "device/line_kernels.hpp"
#include "device/pair_kernels.hpp"
#include "device/sphere_kernels.hpp"

namespace seiche {

/// Position in a stream.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  virtual bool done() = 0;  ///< Never blocks. \throws Error if work before this position has failed
  virtual void wait() = 0;  ///< \throws Error if work before this position has failed
};

/// Box of elements that a copy reads or writes: element (i, j, k) is at i * stride[0] + j * stride[1] + k * stride[2].
struct DeviceBox {
  std::int64_t shape[3], stride[3];
};

/// Fields that an operator combines, point by point: out_o = sum_i factor_oi in_i. The first ones are inputs, and the
/// first ones are outputs.
struct CombinedBoxes {
  static constexpr int most = 8;  ///< fields
  std::array<void*, most> fields{};
  int inputs = 1, outputs = 1;
  DeviceBox box{};                ///< of each field, in complex values
  const void* factors = nullptr;  ///< [output][input][box], complex
  std::int64_t of_factors[3]{};   ///< strides of the box
  std::int64_t next_factor = 0;   ///< stride between inputs, and between outputs with one input
};

/// Runs work in the order of submission. All functions return before the work is complete.
class DeviceStream : public PairKernels {
 public:
  /// Copies bytes within host memory, within device memory, or between them.
  virtual void copy(const void* from, void* into, std::size_t bytes) = 0;
  /// Copies boxes of equal shape within device memory and pinned host memory. `element`: bytes of an element, a
  /// multiple of 4.
  virtual void copy_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into,
                        std::size_t element) = 0;
  /// Adds boxes to boxes of equal shape within device memory. Elements of `element` bytes consist of floats if
  /// `single`, else of doubles.
  virtual void add_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into,
                       std::size_t element, bool single) = 0;
  /// Multiplies the elements of a box in device memory by a factor. Elements as for add_box().
  virtual void scale_box(void* values, const DeviceBox& box, std::size_t element, bool single, double factor) = 0;
  /// Combines boxes of complex values in device memory, in place.
  virtual void combine_boxes(const CombinedBoxes& boxes, bool single) = 0;
  /// Copies rows of coefficients between the caller's order and an order of exchange: packed[i] = coefficients[w] for
  /// list[i] = DeviceSphere::flags * w + flags. `list` is in device memory.
  virtual void pack_waves(const void* coefficients, void* packed, const std::int32_t* list, std::int64_t count,
                          bool single) = 0;
  /// Copies back. `adds`: adds to the stored coefficients. Skips mirror images.
  virtual void unpack_waves(const void* packed, void* coefficients, const std::int32_t* list, std::int64_t count,
                            bool single, bool adds) = 0;
  /// Converts to single precision, within device memory.
  virtual void narrow(const double* from, float* into, std::int64_t count) = 0;
  virtual void zero(void* memory, std::size_t bytes) = 0;
  virtual std::shared_ptr<DeviceEvent> record() = 0;
  virtual void* handle() const = 0;  ///< stream of the device's library (cudaStream_t)
  /// Lets later work start after the work that the default stream has now. Has no effect on streams of the caller.
  virtual void follow_default() = 0;
};

/// Names memory of a device for other processes of the node.
using MemoryHandle = std::array<std::byte, 64>;

/// One device of this process.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual int number() const = 0;                 ///< of the device in this process, as for cudaSetDevice
  virtual void make_current() noexcept = 0;       ///< Lets CUDA and MPI use this device in the calling thread.
  virtual void* allocate(std::size_t bytes) = 0;  ///< \throws std::bad_alloc
  virtual void free(void* memory) noexcept = 0;
  /// Registers host memory, so that copies are fast and copy_box() can access it. \throws Error if it is impossible
  virtual void pin(void* memory, std::size_t bytes) = 0;
  virtual void unpin(void* memory) noexcept = 0;
  /// Returns the handle of memory from allocate(). \throws Error if processes cannot share it
  virtual MemoryHandle share(void* memory) = 0;
  /// Opens memory of another process, which must exist until close_shared(). \throws Error if this device cannot access
  /// it
  virtual void* open_shared(const MemoryHandle& handle) = 0;
  virtual void close_shared(void* memory) noexcept = 0;
  /// Tells whether an array is in memory of this device. \throws Error if it is in memory of another device
  virtual bool owns(const void* memory) = 0;
  /// Creates a stream. `callers`: stream of the caller (cudaStream_t) that is used instead, or null.
  virtual std::unique_ptr<DeviceStream> stream(void* callers) = 0;
  virtual std::unique_ptr<SphereKernels> sphere(const DeviceSphere& sphere) = 0;
  /// \throws Error if the library of FFTs is not found. \pre !transforms.empty()
  virtual std::unique_ptr<LineKernels> lines(const DeviceTransforms& transforms) = 0;
};

/// Function that a module exports as `seiche_device`. It returns the device of this process, which lives as long as the
/// process. \throws Error if there is none
using SeicheDevice = Device*();

/// Function that a module exports as `seiche_device_version`. Returns the version of Seiche to which the module
/// belongs. Interfaces differ between versions.
using SeicheDeviceVersion = const char*();

}  // namespace seiche
