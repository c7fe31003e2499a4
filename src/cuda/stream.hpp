// SPDX-License-Identifier: BSD-3-Clause
/// \file  Streams of CUDA.
#pragma once

#include <cuda_runtime.h>

#include "cuda/current.hpp"
#include "device/device.hpp"

namespace seiche::cuda {

class Stream : public DeviceStream {
 public:
  /// `callers`: stream of the caller that is used, or null for a new stream.
  explicit Stream(void* callers);
  ~Stream() override;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void copy(const void* from, void* into, std::size_t bytes) override;
  void copy_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into,
                std::size_t element) override;
  void add_box(const void* from, const DeviceBox& of_from, void* into, const DeviceBox& of_into, std::size_t element,
               bool single) override;
  void scale_box(void* values, const DeviceBox& box, std::size_t element, bool single, double factor) override;
  void combine_boxes(const CombinedBoxes& boxes, bool single) override;
  void pack_waves(const void* coefficients, void* packed, const std::int32_t* list, std::int64_t count,
                  bool single) override;
  void unpack_waves(const void* packed, void* coefficients, const std::int32_t* list, std::int64_t count, bool single,
                    bool adds) override;
  void narrow(const double* from, float* into, std::int64_t count) override;
  void zero(void* memory, std::size_t bytes) override;
  void pair_densities(const DevicePairs& pairs, const void* targets, void* densities) override;
  void subtract_products(const DevicePairs& pairs, double weight, const void* potentials, void* sums) override;
  void multiply_waves(void* coefficients, const void* factors, std::int64_t waves, std::int32_t rows) override;
  void line_overlaps(const DeviceLines& lines, const void* a, const void* b, double* overlaps) override;
  std::shared_ptr<DeviceEvent> record() override;
  void follow_default() override;

  void* handle() const override { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
  bool owned_;
};

/// Returns the stream of CUDA.
inline cudaStream_t handle_of(const DeviceStream& stream) { return static_cast<cudaStream_t>(stream.handle()); }

}  // namespace seiche::cuda
