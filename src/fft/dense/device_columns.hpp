// SPDX-License-Identifier: BSD-3-Clause
/// \file  Columns of operators on a device.
#pragma once

#include <map>
#include <memory>

#include "device/cuda.hpp"
#include "fft/dense/column_operation.hpp"
#include "space/memory.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Complex>
class DeviceColumns final : public ColumnOperation<Complex> {
 public:
  DeviceColumns(const DensePlan& plan, const OperatorFactors<Complex>& factors)
      : plan_(plan), fields_(factors.fields), factors_(factors.values.size_bytes(), Fresh::raw, plan.queue.space()) {
    require(fields_.most() <= CombinedBoxes::most, Fault::unsupported,
            "grid_operator: an operator on a device has at most {} inputs and outputs (got {} and {})",
            CombinedBoxes::most, fields_.inputs, fields_.outputs);
    plan.queue.copy(factors.values.data(), factors_.data(), factors.values.size_bytes()).wait();
    for (std::size_t c = 0; c < plan.chunks.count(); ++c) {
      const auto lines = z_lines(plan.chunks.columns(plan.mine(plan.layouts.columns), c).size());
      if (lines.empty()) continue;
      for (const auto& one : {lines, reversed(lines)}) {
        auto& kernels = kernels_[one];
        if (!kernels) kernels = cuda_device().lines(one);
      }
    }
  }
  ~DeviceColumns() override { plan_.queue.drain(); }
  Event run(std::span<Complex* const> columns, const Range& rows, Pipeline&) const override {
    const auto lines = z_lines(rows.size());
    if (!lines.empty()) {
      DeviceStream& stream = plan_.queue.stream();
      const std::int64_t first = rows.low * plan_.columns_stride[1];
      CombinedBoxes boxes = combined(rows);
      for (std::size_t f = 0; f < columns.size(); ++f) boxes.fields[f] = columns[f] + first;
      for (std::int64_t i = 0; i < fields_.inputs; ++i) transform(lines, boxes.fields[static_cast<std::size_t>(i)]);
      stream.combine_boxes(boxes, sizeof(Complex) == sizeof(std::complex<float>));
      for (std::int64_t o = 0; o < fields_.outputs; ++o) {
        transform(reversed(lines), boxes.fields[static_cast<std::size_t>(o)]);
      }
    }
    return plan_.queue.record();
  }
  std::int64_t memory() const override { return static_cast<std::int64_t>(factors_.size()); }

 private:
  const Box& box() const { return plan_.spectrum_box; }
  void transform(const DeviceTransforms& lines, void* values) const {
    kernels_.at(lines)->run(plan_.queue.stream(), values, values);
  }
  /// Returns the transforms of some rows of columns along z, in place.
  DeviceTransforms z_lines(std::int64_t rows) const {
    const auto axis = [](std::int64_t count, std::int64_t stride) {
      return DeviceTransforms::Axis{count, stride, stride};
    };
    const Strides& stride = plan_.columns_stride;
    return {.kind = DeviceTransforms::Kind::forward,
            .single = sizeof(Complex) == sizeof(std::complex<float>),
            .points = axis(plan_.shape.nz, stride[2]),
            .lines = {axis(box().empty() ? 0 : box().size(0), 1), axis(rows, stride[1])}};
  }
  CombinedBoxes combined(const Range& rows) const {
    const std::int64_t nx = box().size(0), ny = box().size(1);
    const Strides& stride = plan_.columns_stride;
    return {.inputs = static_cast<int>(fields_.inputs),
            .outputs = static_cast<int>(fields_.outputs),
            .box = {{nx, rows.size(), box().size(2)}, {1, stride[1], stride[2]}},
            .factors = reinterpret_cast<const Complex*>(factors_.data()) + rows.low * nx,
            .of_factors = {1, nx, nx * ny},
            .next_factor = box().volume()};
  }

  const DensePlan& plan_;
  OperatorFields fields_;
  Memory factors_;
  std::map<DeviceTransforms, std::unique_ptr<LineKernels>> kernels_;
};

}  // namespace seiche
