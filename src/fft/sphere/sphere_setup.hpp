// SPDX-License-Identifier: BSD-3-Clause
/// \file  Constant data of a sphere's plan.
#pragma once

#include <memory>
#include <span>

#include "comm/agree.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/device_kernels.hpp"
#include "fft/sphere/sphere_lines.hpp"

namespace seiche {

/// Plan and 1D FFTs. Apart from scratch memory they are constant during transforms.
template <class Value>
struct SphereSetup {
  SphereSetup(const Communicator& comm, const GridShape& shape, std::span<const Miller> mine, const FftOptions& asked)
      : plan(comm, shape, mine, asked,
             {letter_of<Value>(), RowLines<Value>::real, sizeof(typename ComplexOf<Value>::type)}),
        kernels(
            made_together(plan.comm, [this] { return on_device() ? std::make_unique<DeviceKernels>(plan) : nullptr; })),
        lines(made_together(plan.comm,
                            [this] { return on_device() ? nullptr : std::make_unique<SphereLines<Value>>(plan); })) {
    plan.forget_arrivals();
    const std::size_t of_lines = kernels ? kernels->bytes() : lines->bytes();
    if (kernels) plan.choose_batch(kernels->sphere().favourite_rows() / plan.options.components, of_lines);
    report = plan.settle(of_lines);
    bytes = static_cast<std::int64_t>(of_lines + plan.map.bytes());
    if (kernels) report.library = kernels->sphere().method();
  }
  bool on_device() const { return !plan.queue.on_host(); }
  /// Returns the bytes of the coefficients of a batch at their sticks, on a device.
  std::size_t bytes_on_sticks() const {
    return kernels ? static_cast<std::size_t>(plan.band_groups.batch) * bytes_of_factors() : 0;
  }
  /// Returns the bytes of the factors of a convolution.
  std::size_t bytes_of_factors() const {
    using Complex = typename ComplexOf<Value>::type;
    return kernels ? static_cast<std::size_t>(kernels->waves_at_sticks()) * sizeof(Complex)
                   : static_cast<std::size_t>(lines->z.factors()) * sizeof(typename Complex::value_type);
  }
  SphereSetup(const SphereSetup&) = delete;
  SphereSetup& operator=(const SphereSetup&) = delete;
  SpherePlan plan;
  std::unique_ptr<DeviceKernels> kernels;     // of a device
  std::unique_ptr<SphereLines<Value>> lines;  // of the host
  FftReport report;
  std::int64_t bytes = 0;  // of the plan and the 1D FFTs
};

}  // namespace seiche
