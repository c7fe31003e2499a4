// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs along x and y of a grid, of which only some waves are exchanged. A plane is in scratch memory in
/// cache between its steps.
#pragma once

#include "fft/dense/dense_steps.hpp"
#include "fft/lines/line_sheets.hpp"
#include "grid_interpolation/axis_resize.hpp"
#include "layout/extent.hpp"

namespace seiche {

template <class Value>
class ResizedRows final : public RowSteps<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;

  explicit ResizedRows(const DensePlan& plan)
      : plan_(plan),
        grid_(consecutive(plan.grid_box).stride),
        row_(padded_row<Complex>(plan.kind.real ? plan.shape.nx / 2 + 1 : plan.shape.nx)),
        rows_(plan.grid_box.empty() ? 0 : plan.grid_box.size(1)),
        keep_x_(plan.shape.nx, plan.waves.nx, plan.kind.real),
        fill_x_(plan.waves.nx, plan.shape.nx, plan.kind.real),
        keep_y_(plan.shape.ny, plan.waves.ny, false),
        fill_y_(plan.waves.ny, plan.shape.ny, false) {
    const bool real = plan.kind.real;
    const SheetPlace grid{1, 1, grid_[1]}, own{1, 1, row_};
    x_from_grid_ = x_lines(real ? LineKind::from_real_grid : LineKind::forward, grid, own);
    x_to_grid_ = x_lines(real ? LineKind::to_real_grid : LineKind::backward, own, grid);
    const SheetPlace columns{row_, 1, 1}, sent{plan.middle_stride[1], 1, 1};
    y_from_grid_ = y_lines(LineKind::forward, plan.pencil ? sent : columns, columns);
    y_to_grid_ = y_lines(LineKind::backward, columns, plan.pencil ? sent : columns);
  }

  Event rows_from_grid(const Value* grid, const Range& planes, Complex* rows, Pipeline& pipeline) const override {
    return each(planes, pipeline, [&](std::int64_t p) {
      Complex* const plane = scratch();
      Complex* const sent = rows + (p - planes.low) * plan_.plane();
      x_from_grid_.run(grid + p * grid_[2], plane);
      if (plan_.pencil) return each_row([&](std::int64_t y) { keep_x(plane + y * row_, sent + y * plan_.row()); });
      each_row([&](std::int64_t y) { keep_x(plane + y * row_, plane + y * row_); });
      y_from_grid_.run(plane, plane);
      keep_y_.run(plane, row_, sent, plan_.row(), plan_.nx);
    });
  }
  Event rows_to_grid(Complex* rows, const Range& planes, Value* grid, Pipeline& pipeline) const override {
    return each(planes, pipeline, [&](std::int64_t p) {
      Complex* const plane = scratch();
      const Complex* const sent = rows + (p - planes.low) * plan_.plane();
      if (plan_.pencil) {
        each_row([&](std::int64_t y) { fill_x(sent + y * plan_.row(), plane + y * row_); });
      } else {
        fill_y_.run(sent, plan_.row(), plane, row_, plan_.nx);
        y_to_grid_.run(plane, plane);
        each_row([&](std::int64_t y) { fill_x(plane + y * row_, plane + y * row_); });
      }
      x_to_grid_.run(plane, grid + p * grid_[2]);
    });
  }
  Event middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes,
                     Pipeline& pipeline) const override {
    return each({0, planes}, pipeline, [&](std::int64_t z) {
      Complex* const plane = scratch();
      const std::int64_t points = z * plan_.middle_stride[2], waves = z * plan_.middle_waves_stride[2];
      const std::int64_t row = plan_.middle_waves_stride[1];
      if (backward) {
        fill_y_.run(from + waves, row, plane, row_, columns());
        y_to_grid_.run(plane, into + points);
      } else {
        y_from_grid_.run(from + points, plane);
        keep_y_.run(plane, row_, into + waves, row, columns());
      }
    });
  }

 private:
  static constexpr std::int64_t column_tile = 32;  // 1D FFTs along y, in a plane in cache

  /// Returns the number of columns along y on this rank.
  std::int64_t columns() const {
    const Box& mine = plan_.mine(plan_.layouts.middle);
    return mine.empty() ? 0 : mine.size(0);
  }
  Lines lines(LineKind kind, std::int64_t n, bool in_place) const {
    Lines lines = lines_with<typename Complex::value_type>(plan_.options);
    lines.kind = kind;
    lines.n = n;
    lines.count = 1;
    lines.in_place = in_place;
    return lines;
  }
  LineSheet x_lines(LineKind kind, const SheetPlace& in, const SheetPlace& out) const {
    return LineSheet(plan_.options.library, lines(kind, plan_.shape.nx, false), rows_, in, out,
                     tile_of_lines(plan_.shape.nx, sizeof(Complex)));
  }
  LineSheet y_lines(LineKind kind, const SheetPlace& in, const SheetPlace& out) const {
    return LineSheet(plan_.options.library, lines(kind, plan_.shape.ny, !plan_.pencil), columns(), in, out,
                     column_tile);
  }
  /// Returns memory of a plane for this thread.
  Complex* scratch() const {
    thread_local aligned_vector<Complex> memory;
    const auto size = static_cast<std::size_t>(row_ * plan_.shape.ny);
    if (memory.size() < size) memory.resize(size);
    return memory.data();
  }
  void keep_x(const Complex* from, Complex* into) const { keep_x_.run(from, 1, into, 1, 1); }
  void fill_x(const Complex* from, Complex* into) const { fill_x_.run(from, 1, into, 1, 1); }
  template <class Work>
  void each_row(const Work& work) const {
    for (std::int64_t y = 0; y < rows_; ++y) work(y);
  }
  template <class Work>
  Event each(const Range& planes, Pipeline& pipeline, const Work& work) const {
    for_tiles(
        planes.size(), plan_.options.threads, [&](std::int64_t i, int) { work(planes.low + i); },
        [&pipeline] { pipeline.poll(); });
    return {};
  }

  const DensePlan& plan_;
  Strides grid_;             // of the caller's arrays
  std::int64_t row_, rows_;  // stride of rows in scratch memory, and their number in a plane
  AxisResize keep_x_, fill_x_, keep_y_, fill_y_;
  LineSheet x_from_grid_, x_to_grid_, y_from_grid_, y_to_grid_;
};

}  // namespace seiche
