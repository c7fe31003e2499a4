// SPDX-License-Identifier: BSD-3-Clause
/// \file  The lines of a dense grid along its three axes, and how this rank runs over them.
#pragma once

#include "fft/dense_plan.hpp"
#include "fft/tiles.hpp"

namespace seiche {

template <class Value>
class DenseLines {
 public:
  using Complex = typename ComplexOf<Value>::type;

  explicit DenseLines(const DensePlan& plan) : plan_(plan) {
    plan_x_lines();
    plan_y_lines();
    plan_z_lines();
  }

  /// x lines and, for slabs, y lines, plane by plane while each is in cache.
  template <class Between>
  void rows_from_grid(Complex* rows, std::int64_t planes, const Between& between) const {
    each_plane(planes, between, [&](std::int64_t z) {
      Complex* plane = rows + z * plan_.rows_stride[2];
      run_rows(x_from_grid_, plane);
      if (!plan_.pencil) run_columns(y_from_grid_, plane, plane);
    });
  }
  template <class Between>
  void rows_to_grid(Complex* rows, std::int64_t planes, const Between& between) const {
    each_plane(planes, between, [&](std::int64_t z) {
      Complex* plane = rows + z * plan_.rows_stride[2];
      if (!plan_.pencil) run_columns(y_to_grid_, plane, plane);
      run_rows(x_to_grid_, plane);
    });
  }

  /// y lines of pencils, on their way from the end of one exchange to that of the next.
  template <class Between>
  void middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes,
                    const Between& between) const {
    each_plane(planes, between, [&](std::int64_t z) {
      const std::int64_t plane = z * plan_.middle_stride[2];
      run_columns(backward ? y_to_grid_ : y_from_grid_, from + plane, into + plane);
    });
  }

  /// z lines. Their points are a plane apart, too far for the hardware to foresee: while a tile is transformed, the
  /// next is on its way to the cache.
  template <class Between>
  void column_lines(bool backward, Complex* columns, const Between& between) const {
    const LineTiles& z = backward ? z_to_grid_ : z_from_grid_;
    each_plane(plan_.mine(plan_.layouts.columns).size(1), between, [&](std::int64_t y) {
      Complex* first = columns + y * plan_.columns_stride[1];
      for (std::int64_t t = 0; t < z.tiles(); ++t) {
        const bool last = t + 1 == z.tiles();
        const std::int64_t next = last ? plan_.columns_stride[1] : z.lines(t + 1).low;
        fetch_ahead(first + next, z.lines(last ? 0 : t + 1).size());
        Complex* tile = first + z.lines(t).low;
        z.run(t, tile, tile);
      }
    });
  }

 private:
  static constexpr std::int64_t column_tile = 32;     // y lines, within a plane in cache
  static constexpr std::int64_t far_column_tile = 8;  // z lines, fetched from memory

  Lines lines(LineKind kind, std::int64_t n, std::int64_t count, const LineLayout& in, const LineLayout& out) const {
    return {.kind = kind,
            .n = n,
            .count = count,
            .in = in,
            .out = out,
            .in_place = true,
            .single = sizeof(Complex) == sizeof(std::complex<float>),
            .reproducible = plan_.options.reproducible};
  }
  void plan_x_lines() {
    const std::int64_t n = plan_.shape.nx, count = plan_.mine(plan_.layouts.rows).size(1), row = plan_.rows_stride[1];
    const LineLayout in_rows{1, (plan_.kind.real ? 2 : 1) * row}, in_spectrum{1, row};
    const auto from = plan_.kind.real ? LineKind::from_real_grid : LineKind::forward;
    const auto into = plan_.kind.real ? LineKind::to_real_grid : LineKind::backward;
    const std::int64_t tile = tile_of_lines(n, sizeof(Complex));
    x_from_grid_ = LineTiles(plan_.options.library, lines(from, n, count, in_rows, in_spectrum), tile);
    x_to_grid_ = LineTiles(plan_.options.library, lines(into, n, count, in_spectrum, in_rows), tile);
  }
  void plan_y_lines() {
    const LineLayout along{plan_.middle_stride[1], 1};
    Lines y = lines(LineKind::forward, plan_.shape.ny, plan_.mine(plan_.layouts.middle).size(0), along, along);
    y.in_place = !plan_.pencil;
    y_from_grid_ = LineTiles(plan_.options.library, y, column_tile);
    y.kind = LineKind::backward;
    y_to_grid_ = LineTiles(plan_.options.library, y, column_tile);
  }
  void plan_z_lines() {
    const LineLayout along{plan_.columns_stride[2], 1};
    Lines z = lines(LineKind::forward, plan_.shape.nz, plan_.mine(plan_.layouts.columns).size(0), along, along);
    z.scale = 1.0 / static_cast<double>(plan_.shape.volume());
    z_from_grid_ = LineTiles(plan_.options.library, z, far_column_tile);
    z.kind = LineKind::backward;
    z.scale = 1;
    z_to_grid_ = LineTiles(plan_.options.library, z, far_column_tile);
  }

  template <class Between, class Work>
  void each_plane(std::int64_t planes, const Between& between, const Work& work) const {
    for_tiles(
        planes, plan_.options.threads, [&](std::int64_t i, int) { work(i); }, between);
  }
  /// Asks for the cache lines of a tile of z lines; harmless beyond the end of memory.
  void fetch_ahead(const Complex* tile, std::int64_t width) const {
    constexpr auto line = static_cast<std::int64_t>(cache_line / sizeof(Complex));
    for (std::int64_t z = 0; z < plan_.shape.nz; ++z) {
      for (std::int64_t x = 0; x < width; x += line) __builtin_prefetch(tile + z * plan_.columns_stride[2] + x, 1, 2);
    }
  }
  void run_rows(const LineTiles& x, Complex* plane) const {
    for (std::int64_t t = 0; t < x.tiles(); ++t) {
      Complex* first = plane + x.lines(t).low * plan_.rows_stride[1];
      x.run(t, first, first);
    }
  }
  static void run_columns(const LineTiles& tiles, const Complex* from, Complex* into) {
    for (std::int64_t t = 0; t < tiles.tiles(); ++t) {
      const std::int64_t first = tiles.lines(t).low;
      tiles.run(t, from + first, into + first);
    }
  }

  const DensePlan& plan_;
  LineTiles x_from_grid_, x_to_grid_, y_from_grid_, y_to_grid_, z_from_grid_, z_to_grid_;
};

}  // namespace seiche
