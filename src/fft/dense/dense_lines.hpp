// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of a dense grid along its three axes. The first ones read, and the last ones write, the plan's memory
/// or the caller's arrays.
#pragma once

#include "fft/dense/dense_steps.hpp"
#include "fft/lines/line_sheets.hpp"

namespace seiche {

template <class Value>
class DenseLines {
 public:
  using Complex = typename ComplexOf<Value>::type;

  DenseLines(const DensePlan& plan, const DenseEnds& ends)
      : plan_(plan),
        ends_(ends),
        fused_(!plan.pencil && !plan.distribution.returns),
        cached_(bytes_of(plan.mine(plan.layouts.columns)) + (ends.own ? 0 : callers_bytes()) <= core_cache()) {
    plan_x_lines();
    plan_y_lines();
    plan_z_lines();
  }

  /// 1D FFTs along x of some planes (relative to this rank's first), and along y for slabs while a plane is in cache.
  /// `rows`: memory of the first plane.
  template <class Between>
  void rows_from_grid(const Value* grid, const Range& planes, Complex* rows, const Between& between) const {
    each(planes, between, [&](std::int64_t p) {
      Complex* plane = rows + (p - planes.low) * plan_.plane();
      x_from_grid_.run(grid + in_grid(p), plane);
      if (fused_) y_from_grid_.run(plane, plane);
    });
  }
  template <class Between>
  void rows_to_grid(Complex* rows, const Range& planes, Value* grid, const Between& between) const {
    each(planes, between, [&](std::int64_t p) {
      Complex* plane = rows + (p - planes.low) * plan_.plane();
      if (fused_) y_to_grid_.run(plane, plane);
      x_apart() ? x_to_caller_.scatter(plane, grid + in_grid(p)) : x_to_grid_.run(plane, grid + in_grid(p));
    });
  }

  /// 1D FFTs along y of pencils, between the ends of two exchanges.
  template <class Between>
  void middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes,
                    const Between& between) const {
    each({0, planes}, between, [&](std::int64_t z) {
      const std::int64_t plane = z * plan_.middle_stride[2];
      (backward ? y_to_grid_ : y_from_grid_).run(from + plane, into + plane);
    });
  }

  /// 1D FFTs along y at the end (or the beginning), if the spectrum has the planes of the grid.
  template <class Between>
  void rows_to_spectrum(const Complex* rows, const Range& planes, Complex* spectrum, const Between& between) const {
    each(planes, between,
         [&](std::int64_t p) { y_to_caller_.scatter(rows + p * plan_.plane(), spectrum + in_spectrum(p)); });
  }
  template <class Between>
  void rows_from_spectrum(const Complex* spectrum, const Range& planes, Complex* rows, const Between& between) const {
    each(planes, between,
         [&](std::int64_t p) { y_from_caller_.gather(spectrum + in_spectrum(p), rows + p * plan_.plane()); });
  }

  /// 1D FFTs along z of some rows of columns, between the plan's memory and the spectrum. They are in place if 1D FFTs
  /// along y follow.
  template <class Between>
  void columns_to_spectrum(Complex* columns, const Range& rows, Complex* spectrum, const Between& between) const {
    each_column(rows, between, [&](std::int64_t y, std::int64_t f) {
      Complex* here = columns + column(y, f);
      if (columns_in_place()) return run_far(z_from_grid_, here);
      z_to_caller_.scatter(here, spectrum + spectrum_column(y, f));
    });
  }
  template <class Between>
  void columns_from_spectrum(const Complex* spectrum, const Range& rows, Complex* columns,
                             const Between& between) const {
    each_column(rows, between, [&](std::int64_t y, std::int64_t f) {
      Complex* here = columns + column(y, f);
      if (columns_in_place()) return run_far(z_to_grid_, here);
      z_from_caller_.gather(spectrum + spectrum_column(y, f), here);
    });
  }

 private:
  static constexpr std::int64_t column_tile = 32;     // 1D FFTs along y, in a plane in cache
  static constexpr std::int64_t far_column_tile = 8;  // 1D FFTs along z, from memory

  Lines lines(LineKind kind, std::int64_t n, std::int64_t count, bool in_place) const {
    Lines lines = lines_with<typename Complex::value_type>(plan_.options);
    lines.kind = kind;
    lines.n = n;
    lines.count = count;
    lines.in_place = in_place;
    return lines;
  }
  LineSheet sheet(const Lines& some, std::int64_t rows, const SheetPlace& in, const SheetPlace& out,
                  std::int64_t tile) const {
    return LineSheet(plan_.options.library, some, rows, in, out, tile, !some.in_place && !cached_);
  }
  LineKind forward() const { return ends_.plus ? LineKind::backward : LineKind::forward; }
  LineKind backward() const { return ends_.plus ? LineKind::forward : LineKind::backward; }
  /// Returns the bytes of a bundle in a box.
  std::int64_t bytes_of(const Box& box) const {
    return box.volume() * plan_.bundle.in_point * static_cast<std::int64_t>(sizeof(Complex));
  }
  /// Returns the bytes of the caller's array on this rank, for the larger end.
  std::int64_t callers_bytes() const {
    return plan_.bundles *
           std::max(bytes_of(plan_.mine(plan_.layouts.rows)), bytes_of(plan_.mine(plan_.layouts.columns)));
  }
  /// Tells whether 1D FFTs along z are in place.
  bool columns_in_place() const { return ends_.own || plan_.distribution.returns; }
  /// Returns the number of rows along an axis; 0 if this rank has none, because strides are undefined then.
  std::int64_t rows_of(const std::vector<Box>& layout, int axis) const {
    const Box& mine = plan_.mine(layout);
    return mine.empty() ? 0 : mine.size(axis);
  }
  /// Tells whether neighbouring points of a row are not contiguous.
  bool x_apart() const { return plan_.bundle.in_point > 1; }
  FarSheet far_sheet(const Lines& some, std::int64_t rows, const SheetPlace& in, const SheetPlace& out,
                     FarSheet::End far) const {
    return FarSheet(plan_.options.library, some, rows, in, out, far, callers_bytes());
  }

  /// Neighbours are the fields of a point. Rows are the rows of the plane.
  void plan_x_lines() {
    const std::int64_t n = plan_.shape.nx, rows = rows_of(plan_.layouts.rows, 1);
    const SheetPlace grid{ends_.grid[0], ends_.next_field, ends_.grid[1]};
    const SheetPlace own{plan_.bundle.in_point, 1, plan_.row()};
    const std::int64_t tile = tile_of_lines(n, sizeof(Complex));
    const auto from = plan_.kind.real ? LineKind::from_real_grid : forward();
    const auto into = plan_.kind.real ? LineKind::to_real_grid : backward();
    x_from_grid_ = sheet(lines(from, n, plan_.bundle.in_point, ends_.own), rows, grid, own, tile);
    const Lines back = lines(into, n, plan_.bundle.in_point, ends_.own);
    if (x_apart()) {
      x_to_caller_ = far_sheet(back, rows, own, grid, FarSheet::End::out);
    } else {
      x_to_grid_ = sheet(back, rows, own, grid, tile);
    }
  }
  /// Neighbours are the fields of a point. Rows are points along x.
  void plan_y_lines() {
    const std::int64_t n = plan_.shape.ny, points = rows_of(plan_.layouts.middle, 0);
    const std::int64_t fields = plan_.bundle.in_point;
    const SheetPlace own{plan_.middle_stride[1] * fields, 1, fields};
    const Lines from = lines(forward(), n, fields, !plan_.pencil), into = lines(backward(), n, fields, !plan_.pencil);
    if (plan_.distribution.returns) {
      const SheetPlace theirs{ends_.spectrum[1], ends_.next_spectrum, ends_.spectrum[0]};
      y_to_caller_ = far_sheet(from, points, own, theirs, FarSheet::End::out);
      y_from_caller_ = far_sheet(into, points, theirs, own, FarSheet::End::in);
    } else {
      y_from_grid_ = sheet(from, points, own, own, column_tile);
      y_to_grid_ = sheet(into, points, own, own, column_tile);
    }
  }
  void plan_z_lines() {
    const std::int64_t n = plan_.shape.nz, points = rows_of(plan_.layouts.columns, 0);
    const std::int64_t fields = plan_.bundle.in_point;
    const SheetPlace own{plan_.columns_stride[2] * plan_.bundle.fields(), 1, fields};
    Lines from = lines(forward(), n, fields, columns_in_place());
    from.scale = ends_.unscaled ? 1 : 1.0 / static_cast<double>(plan_.shape.volume());
    const Lines into = lines(backward(), n, fields, columns_in_place());
    if (columns_in_place()) {
      z_from_grid_ = sheet(from, points, own, own, far_column_tile);
      z_to_grid_ = sheet(into, points, own, own, far_column_tile);
    } else {
      const SheetPlace theirs{ends_.spectrum[2], ends_.next_spectrum, ends_.spectrum[0]};
      z_to_caller_ = far_sheet(from, points, own, theirs, FarSheet::End::out);
      z_from_caller_ = far_sheet(into, points, theirs, own, FarSheet::End::in);
    }
  }

  /// Returns the offset of this rank's p-th plane, counted over all fields of the bundle with separate planes.
  std::int64_t in_grid(std::int64_t p) const {
    return p / plan_.bundle.in_plane * ends_.grid[2] + p % plan_.bundle.in_plane * ends_.next_field;
  }
  std::int64_t in_spectrum(std::int64_t p) const {
    return p / plan_.bundle.in_plane * ends_.spectrum[2] + p % plan_.bundle.in_plane * ends_.next_spectrum;
  }
  std::int64_t column(std::int64_t y, std::int64_t field) const {
    return (y * plan_.columns_stride[1] + field * plan_.columns_stride[2]) * plan_.bundle.in_point;
  }
  std::int64_t spectrum_column(std::int64_t y, std::int64_t field) const {
    return y * ends_.spectrum[1] + field * ends_.next_spectrum;
  }

  /// 1D FFTs along z in place. The next ones are prefetched unless all data fit into the core's cache.
  void run_far(const LineSheet& lines, Complex* values) const {
    cached_ ? lines.run(values, values) : lines.run_ahead(values, values + column(1, 0));
  }

  template <class Between, class Work>
  void each(const Range& planes, const Between& between, const Work& work) const {
    for_tiles(
        planes.size(), plan_.options.threads, [&](std::int64_t i, int) { work(planes.low + i); }, between);
  }
  template <class Between, class Work>
  void each_column(const Range& rows, const Between& between, const Work& work) const {
    each(rows, between, [&](std::int64_t y) {
      for (std::int64_t f = 0; f < plan_.bundle.in_plane; ++f) work(y, f);
    });
  }

  const DensePlan& plan_;
  DenseEnds ends_;
  bool fused_;   // 1D FFTs along x and y are combined
  bool cached_;  // all data fit into a core's cache
  LineSheet x_from_grid_, x_to_grid_, y_from_grid_, y_to_grid_, z_from_grid_, z_to_grid_;
  FarSheet x_to_caller_, y_to_caller_, y_from_caller_, z_to_caller_, z_from_caller_;
};

}  // namespace seiche
