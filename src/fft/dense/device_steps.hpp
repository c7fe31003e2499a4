// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computing steps of dense transforms on a device. Each step transforms all planes or
/// columns of a chunk at once. Slabs are transformed along x and y together.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "device/cuda.hpp"
#include "fft/dense/dense_steps.hpp"

namespace seiche {

template <class Value>
class DeviceSteps final : public DenseSteps<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// Creates the kernels of all chunks. \throws Error if the library of FFTs is not found
  DeviceSteps(const DensePlan& plan, const DenseEnds& ends) : plan_(plan), ends_(ends) {
    for (std::size_t c = 0; c < plan.chunks.count(); ++c) {
      each_field(plan.chunks.planes(plan.mine(plan.layouts.rows), c), [&](const Range& z, std::int64_t, std::int64_t) {
        make(x_lines(z.size()));
        if (plan.distribution.returns) make(y_lines(z.size()));
      });
      if (plan.pencil) make(middle(plan.chunks.planes(plan.mine(plan.layouts.middle), c).size()));
      make(z_lines(plan.chunks.columns(plan.mine(plan.layouts.columns), c).size()));
    }
  }

  Event rows_from_grid(const Value* grid, const Range& planes, Complex* rows, Pipeline&) const override {
    each_field(planes, [&](const Range& z, std::int64_t field, std::int64_t plane) {
      run(x_lines(z.size()), grid + in_grid(z, field), rows + plane * plan_.plane());
    });
    return plan_.queue.record();
  }
  Event rows_to_grid(Complex* rows, const Range& planes, Value* grid, Pipeline&) const override {
    each_field(planes, [&](const Range& z, std::int64_t field, std::int64_t plane) {
      run(reversed(x_lines(z.size())), rows + plane * plan_.plane(), grid + in_grid(z, field));
    });
    return plan_.queue.record();
  }
  Event middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes, Pipeline&) const override {
    run(backward ? reversed(middle(planes)) : middle(planes), from, into);
    return plan_.queue.record();
  }
  Event rows_to_spectrum(const Complex* rows, const Range& planes, Complex* spectrum, Pipeline&) const override {
    each_field(planes, [&](const Range& z, std::int64_t field, std::int64_t plane) {
      run(y_lines(z.size()), rows + (planes.low + plane) * plan_.plane(), spectrum + in_spectrum(z, field));
    });
    return plan_.queue.record();
  }
  Event rows_from_spectrum(const Complex* spectrum, const Range& planes, Complex* rows, Pipeline&) const override {
    each_field(planes, [&](const Range& z, std::int64_t field, std::int64_t plane) {
      run(reversed(y_lines(z.size())), spectrum + in_spectrum(z, field), rows + (planes.low + plane) * plan_.plane());
    });
    return plan_.queue.record();
  }
  Event columns_to_spectrum(Complex* columns, const Range& rows, Complex* spectrum, Pipeline&) const override {
    Complex* own = columns + rows.low * own_column();
    if (!ends_.unscaled) scale(own, rows.size());
    run(z_lines(rows.size()), own, columns_in_place() ? own : spectrum + rows.low * ends_.spectrum[1]);
    return plan_.queue.record();
  }
  Event columns_from_spectrum(const Complex* spectrum, const Range& rows, Complex* columns, Pipeline&) const override {
    Complex* own = columns + rows.low * own_column();
    run(reversed(z_lines(rows.size())), columns_in_place() ? own : spectrum + rows.low * ends_.spectrum[1], own);
    return plan_.queue.record();
  }

 private:
  using Transforms = DeviceTransforms;
  using Axis = Transforms::Axis;
  using Kind = Transforms::Kind;
  static constexpr bool single = sizeof(Complex) == sizeof(std::complex<float>);

  const Bundle& bundle() const { return plan_.bundle; }
  bool columns_in_place() const { return ends_.own || plan_.distribution.returns; }
  Kind forward() const { return ends_.plus ? Kind::backward : Kind::forward; }
  /// Returns the offset of the first plane of a field in the caller's arrays.
  std::int64_t in_grid(const Range& z, std::int64_t field) const {
    return z.low * ends_.grid[2] + field * ends_.next_field;
  }
  std::int64_t in_spectrum(const Range& z, std::int64_t field) const {
    return z.low * ends_.spectrum[2] + field * ends_.next_spectrum;
  }
  /// Returns the distance between rows of columns in the plan's memory.
  std::int64_t own_column() const { return plan_.columns_stride[1] * bundle().in_point; }
  /// Returns the number of points of this rank along an axis; 0 if it has none.
  std::int64_t size_of(const std::vector<Box>& layout, int axis) const {
    const Box& mine = plan_.mine(layout);
    return mine.empty() ? 0 : mine.size(axis);
  }

  /// Calls visit(range of z, field, first plane) for the fields that have separate planes. `planes` counts the planes
  /// of all fields. The first plane is relative to the range.
  template <class Visit>
  void each_field(const Range& planes, const Visit& visit) const {
    const std::int64_t fields = bundle().in_plane;
    const auto first_z = [fields](std::int64_t plane, std::int64_t field) {
      return (plane - field + fields - 1) / fields;
    };
    for (std::int64_t f = 0; f < fields; ++f) {
      const Range z{first_z(planes.low, f), first_z(planes.high, f)};
      if (!z.empty()) visit(z, f, z.low * fields + f - planes.low);
    }
  }

  // Transforms from the grid towards the spectrum. Fields of a point are neighbours in the plan's memory.

  /// Along x, and along y for slabs.
  Transforms x_lines(std::int64_t planes) const {
    const std::int64_t fields = bundle().in_point;
    const bool slab = !plan_.pencil && !plan_.distribution.returns;
    const Axis y{size_of(plan_.layouts.rows, 1), ends_.grid[1], plan_.row()};
    return {.kind = plan_.kind.real ? Kind::from_real : forward(),
            .single = single,
            .points = {plan_.shape.nx, ends_.grid[0], fields},
            .second = slab ? y : Axis{},
            .lines = {Axis{fields, ends_.next_field, 1}, slab ? Axis{} : y,
                      Axis{planes, ends_.grid[2], bundle().in_plane * plan_.plane()}}};
  }
  /// Along y, if the spectrum has the planes of the grid.
  Transforms y_lines(std::int64_t planes) const {
    const std::int64_t fields = bundle().in_point;
    return {.kind = forward(),
            .single = single,
            .points = {plan_.shape.ny, plan_.row(), ends_.spectrum[1]},
            .lines = {Axis{fields, 1, ends_.next_spectrum}, Axis{plan_.nx, fields, ends_.spectrum[0]},
                      Axis{planes, bundle().in_plane * plan_.plane(), ends_.spectrum[2]}}};
  }
  /// Along y, for pencils.
  Transforms middle(std::int64_t planes) const {
    const Strides& stride = plan_.middle_stride;
    return {.kind = forward(),
            .single = single,
            .points = {plan_.shape.ny, stride[1], stride[1]},
            .lines = {Axis{size_of(plan_.layouts.middle, 0), 1, 1}, Axis{planes, stride[2], stride[2]}}};
  }
  /// Along z.
  Transforms z_lines(std::int64_t rows) const {
    const std::int64_t in_point = bundle().in_point, plane = plan_.columns_stride[2] * in_point;
    const bool here = columns_in_place();
    const Axis points{plan_.shape.nz, plane * bundle().in_plane, ends_.spectrum[2]};
    const Axis fields{bundle().fields(), in_point > 1 ? 1 : plane, ends_.next_spectrum};
    const Axis x{size_of(plan_.layouts.columns, 0), in_point, ends_.spectrum[0]};
    const Axis y{rows, own_column(), ends_.spectrum[1]};
    const auto placed = [here](const Axis& axis) { return Axis{axis.count, axis.in, here ? axis.in : axis.out}; };
    return {
        .kind = forward(), .single = single, .points = placed(points), .lines = {placed(fields), placed(x), placed(y)}};
  }

  /// Multiplies rows of columns by the scale of forward transforms.
  void scale(Complex* columns, std::int64_t rows) const {
    const std::int64_t row = size_of(plan_.layouts.columns, 0) * bundle().in_point;
    const DeviceBox box{{row, rows, size_of(plan_.layouts.columns, 2)},
                        {1, own_column(), plan_.columns_stride[2] * bundle().in_point}};
    plan_.queue.stream().scale_box(columns, box, sizeof(Complex), single,
                                   1.0 / static_cast<double>(plan_.shape.volume()));
  }

  /// Creates the kernels for both directions.
  void make(const Transforms& all) {
    if (all.empty()) return;
    for (const Transforms& one : {all, reversed(all)}) {
      auto& kernels = kernels_[one];
      if (!kernels) kernels = cuda_device().lines(one);
    }
  }
  void run(const Transforms& all, const void* in, void* out) const {
    if (!all.empty()) kernels_.at(all)->run(plan_.queue.stream(), in, out);
  }

  const DensePlan& plan_;
  DenseEnds ends_;
  std::map<Transforms, std::unique_ptr<LineKernels>> kernels_;
};

}  // namespace seiche
