// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs along z of two grids: from the points of one to the points of the other. Lines remain in cache
/// between both 1D FFTs.
#pragma once

#include <algorithm>

#include "fft/dense/dense_plan.hpp"
#include "fft/lines/line_sheets.hpp"
#include "grid_interpolation/axis_resize.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

/// \pre both plans have the same columns
template <class Complex>
class ResizedColumns {
 public:
  ResizedColumns(const DensePlan& from, const DensePlan& to)
      : from_{from.shape.nz, from.columns_stride},
        to_{to.shape.nz, to.columns_stride},
        resize_(from.shape.nz, to.shape.nz, false),
        columns_(from.spectrum_box.empty() ? 0 : from.spectrum_box.size(0)),
        threads_(from.options.threads),
        width_(width_of(from_.nz + to_.nz)),
        forward_(lines(from, LineKind::forward)),
        backward_(lines(to, LineKind::backward)) {}

  /// Computes some rows of columns. The scale is that of forward transforms. The pipeline makes progress.
  void run(const Complex* from, Complex* to, const Range& rows, Pipeline& pipeline) const {
    for_tiles(
        rows.size(), threads_,
        [&](std::int64_t y, int) { row(from + (rows.low + y) * from_.stride[1], to + (rows.low + y) * to_.stride[1]); },
        [&pipeline] { pipeline.poll(); });
  }

 private:
  static constexpr std::int64_t tile = 8;  // lines

  struct End {
    std::int64_t nz;
    Strides stride;
  };
  /// Returns the number of lines that remain in cache.
  std::int64_t width_of(std::int64_t points) const {
    const std::int64_t line = static_cast<std::int64_t>(sizeof(Complex)) * points;
    const std::int64_t lines = std::min(columns_, core_cache() / 2 / line);
    return std::max((lines + tile - 1) / tile, std::int64_t{1}) * tile;
  }
  LineTiles lines(const DensePlan& plan, LineKind kind) const {
    Lines lines = lines_with<typename Complex::value_type>(plan.options);
    const LineLayout own{plan.columns_stride[2], 1}, scratch{width_, 1};
    const bool forward = kind == LineKind::forward;
    lines.kind = kind;
    lines.n = plan.shape.nz;
    lines.count = columns_;
    lines.in = forward ? own : scratch;
    lines.out = forward ? scratch : own;
    if (forward) lines.scale = 1.0 / static_cast<double>(plan.shape.volume());
    return LineTiles(plan.options.library, lines, tile);
  }

  void row(const Complex* from, Complex* to) const {
    thread_local aligned_vector<Complex> scratch;
    const auto size = static_cast<std::size_t>(width_ * (from_.nz + to_.nz));
    if (scratch.size() < size) scratch.resize(size);
    Complex* const points = scratch.data();
    Complex* const waves = points + width_ * to_.nz;
    for (Range x{0, 0}; x.high < columns_;) {
      x = {x.high, std::min(x.high + width_, columns_)};
      each_tile(x, [&](std::int64_t t, std::int64_t at) {
        fetch<Intent::read>(from + at + tile, from_.nz, from_.stride[2], tile);
        forward_.run(t, from + at, waves + at - x.low);
      });
      resize_.run(waves, width_, points, width_, x.size());
      each_tile(x, [&](std::int64_t t, std::int64_t at) {
        fetch<Intent::write>(to + at + tile, to_.nz, to_.stride[2], tile);
        backward_.run(t, points + at - x.low, to + at);
      });
    }
  }
  /// Calls work(tile, its first line) for the tiles of some lines.
  template <class Work>
  static void each_tile(const Range& x, const Work& work) {
    for (std::int64_t at = x.low; at < x.high; at += tile) work(at / tile, at);
  }

  End from_, to_;
  AxisResize resize_;
  std::int64_t columns_;
  int threads_;
  std::int64_t width_;  // lines
  LineTiles forward_, backward_;
};

}  // namespace seiche
