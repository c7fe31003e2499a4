// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs along x of a sphere, between rows of columns (full or compact) and rows of grid values.
#pragma once

#include <array>
#include <complex>
#include <span>
#include <type_traits>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Compact part of rows: `data` is the first row, rows have the stride `pitch`, and columns are column group `group`.
template <class Complex>
struct CompactRows {
  Complex* data;
  std::int64_t pitch;
  std::size_t group;
};

/// Rows of one plane: at full width with stride padded_row(), or in compact parts.
template <class Complex>
struct PlaneRows {
  Complex* full = nullptr;
  std::vector<CompactRows<Complex>> parts;
};

/// Maximum number of components of a band.
inline constexpr int most_components = 2;

template <class Value>
class RowLines {
 public:
  using Complex = typename ComplexOf<Value>::type;
  static constexpr bool real = !std::is_same_v<Value, Complex>;

  /// Creates transforms of `rows` rows of nx grid values. Part g of a compact row has the columns x of
  /// columns[groups[g]].
  RowLines(const std::vector<std::int32_t>& columns, const std::vector<Range>& groups, std::int64_t nx,
           std::int64_t rows, const FftOptions& options, LineLibrary library)
      : nx_(nx), pitch_(padded_row<Complex>(real ? nx / 2 + 1 : nx)) {
    for (const Range& group : groups) runs_.push_back(runs_of(columns, group));
    const std::int64_t tile = tile_of_lines(nx, sizeof(Complex));
    largest_tile_ = tile * pitch_;
    scratch_ = Scratch<Complex>(options.threads, options.components * largest_tile_);
    constexpr std::int64_t values = real ? 2 : 1;  // grid values per complex number
    Lines lines = lines_with<typename Complex::value_type>(options);
    lines.kind = real ? LineKind::to_real_grid : LineKind::backward;
    lines.n = nx;
    lines.count = rows;
    lines.in = {1, pitch_};
    lines.out = {1, nx};
    backward_ = LineTiles(library, lines, tile);
    lines.out = {1, values * pitch_};
    lines.in_place = true;
    to_grid_here_ = LineTiles(library, lines, tile);
    std::swap(lines.in, lines.out);
    lines.kind = real ? LineKind::from_real_grid : LineKind::forward;
    from_grid_here_ = LineTiles(library, lines, tile);
    lines.in = {1, nx};
    lines.in_place = false;
    from_grid_ = LineTiles(library, lines, tile);
  }

  std::int64_t tiles() const { return backward_.tiles(); }

  /// Transforms the rows of tile `t` of a plane to `grid` (dense, beginning with row 0).
  void backward(std::int64_t t, const PlaneRows<Complex>& plane, Value* grid, int thread) {
    const Range rows = backward_.lines(t);
    backward_.run(t, widened(rows, plane, thread), grid + rows.low * nx_);
  }
  void from_grid(std::int64_t t, const Value* grid, const PlaneRows<Complex>& plane, int thread) {
    const Range rows = backward_.lines(t);
    Complex* lines = lines_of(rows, plane, thread);
    from_grid_.run(t, grid + rows.low * nx_, lines);
    narrow(rows, lines, plane);
  }
  /// If `comes`, transforms planes of all components to the grid. Calls visit(rows, views of their values). If
  /// `returns`, transforms the values to the planes.
  template <class Visit>
  void visit(std::int64_t t, std::span<const PlaneRows<Complex>> planes, bool comes, bool returns, const Visit& visit,
             int thread) {
    const Range rows = backward_.lines(t);
    std::array<Complex*, most_components> lines{};
    std::array<View<Value>, most_components> views;
    constexpr std::int64_t values = real ? 2 : 1;
    for (std::size_t c = 0; c < planes.size(); ++c) {
      const auto component = static_cast<std::int64_t>(c);
      lines[c] = comes ? widened(rows, planes[c], thread, component) : lines_of(rows, planes[c], thread, component);
      if (comes) to_grid_here_.run(t, lines[c], lines[c]);
      views[c] = {reinterpret_cast<Value*>(lines[c]),
                  {nx_, rows.size(), 1},
                  {1, values * pitch_, values * pitch_ * rows.size()}};
    }
    visit(rows, std::span<const View<Value>>(views.data(), planes.size()));
    for (std::size_t c = 0; returns && c < planes.size(); ++c) {
      from_grid_here_.run(t, lines[c], lines[c]);
      narrow(rows, lines[c], planes[c]);
    }
  }

  std::size_t bytes() const { return scratch_.bytes(); }

 private:
  /// Neighbouring columns with consecutive x.
  struct Run {
    std::int64_t column, x, length;
  };

  static std::vector<Run> runs_of(const std::vector<std::int32_t>& columns, const Range& group) {
    std::vector<Run> runs;
    for (std::int64_t c = group.low; c < group.high; ++c) {
      const std::int64_t x = columns[static_cast<std::size_t>(c)];
      if (!runs.empty() && runs.back().x + runs.back().length == x) {
        ++runs.back().length;
      } else {
        runs.push_back({c - group.low, x, 1});
      }
    }
    return runs;
  }

  /// Returns the memory of rows at full width: in the plane, or in scratch memory.
  Complex* lines_of(const Range& rows, const PlaneRows<Complex>& plane, int thread, std::int64_t component = 0) {
    return plane.full ? plane.full + rows.low * pitch_ : scratch_.of(thread) + component * largest_tile_;
  }
  Complex* widened(const Range& rows, const PlaneRows<Complex>& plane, int thread, std::int64_t component = 0) {
    Complex* lines = lines_of(rows, plane, thread, component);
    if (plane.full) return lines;
    std::fill_n(lines, rows.size() * pitch_, Complex{});
    each_run(rows, plane, lines, [](Complex* part, Complex* line, std::int64_t n) { std::copy_n(part, n, line); });
    return lines;
  }
  void narrow(const Range& rows, Complex* lines, const PlaneRows<Complex>& plane) const {
    each_run(rows, plane, lines, [](Complex* part, Complex* line, std::int64_t n) { std::copy_n(line, n, part); });
  }
  template <class Copy>
  void each_run(const Range& rows, const PlaneRows<Complex>& plane, Complex* lines, const Copy& copy) const {
    for (const auto& part : plane.parts) {
      for (const Run& run : runs_[part.group]) {
        for (std::int64_t y = rows.low; y < rows.high; ++y) {
          copy(part.data + y * part.pitch + run.column, lines + (y - rows.low) * pitch_ + run.x, run.length);
        }
      }
    }
  }

  std::int64_t nx_, pitch_, largest_tile_ = 0;
  std::vector<std::vector<Run>> runs_;
  LineTiles backward_, to_grid_here_, from_grid_here_, from_grid_;
  Scratch<Complex> scratch_;
};

}  // namespace seiche
