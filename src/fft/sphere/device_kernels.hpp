// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of a plan on a device, and the lists that they read.
#pragma once

#include <cstdint>
#include <memory>

#include "device/sphere_kernels.hpp"
#include "fft/sphere/sphere_plan.hpp"
#include "space/memory.hpp"

namespace seiche {

class DeviceKernels {
 public:
  /// \pre the plan has its lists of arrivals, and batches of one band
  explicit DeviceKernels(const SpherePlan& plan);

  SphereKernels& sphere() const { return *sphere_; }
  /// Returns the list for pack_waves() of the values of one band that leave to one group, in device memory.
  const std::int32_t* leaving() const { return reinterpret_cast<const std::int32_t*>(leaving_.data()); }
  std::int64_t leaving_count() const { return leaving_count_; }

  // numbers of elements of one band: values that arrive at their sticks, sticks, and sticks of all ranks on planes
  std::int64_t arriving_size() const { return arriving_size_; }
  /// Returns the number of coefficients of one band at their sticks: those that arrive, or this rank's waves.
  std::int64_t waves_at_sticks() const { return waves_at_sticks_; }
  std::int64_t sticks_size() const { return sticks_size_; }
  std::int64_t planes_size() const { return planes_size_; }
  std::size_t bytes() const { return leaving_.size() + static_cast<std::size_t>(sphere_->bytes()); }

 private:
  std::unique_ptr<SphereKernels> sphere_;
  Memory leaving_;
  std::int64_t leaving_count_, waves_at_sticks_, arriving_size_ = 0, sticks_size_ = 0, planes_size_ = 0;
};

/// Returns a copy of a potential in single precision, for kernels of plans in single precision. Other plans need none.
/// `values`: array that kernels can access.
Memory narrowed(const SpherePlan& plan, std::span<const double> values);

}  // namespace seiche
