// SPDX-License-Identifier: BSD-3-Clause
/// \file  The x lines of a sphere: between compact rows, which have only some columns x, and rows of grid values.
#pragma once

#include <complex>
#include <type_traits>
#include <vector>

#include "fft/tiles.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Compact values of the same rows: `data` is that of row 0, rows are `pitch` apart; they are columns `group` of all.
template <class Complex>
struct CompactRows {
  Complex* data;
  std::int64_t pitch;
  std::size_t group;
};

template <class Value>
class RowLines {
 public:
  using Complex = typename ComplexOf<Value>::type;
  static constexpr bool real = !std::is_same_v<Value, Complex>;

  /// For `rows` rows of nx grid values; columns[groups[g]] are the x that the g-th part of a compact row has.
  RowLines(const std::vector<std::int32_t>& columns, const std::vector<Range>& groups, std::int64_t nx,
           std::int64_t rows, const FftOptions& options, LineLibrary library)
      : nx_(nx), pitch_(padded_row<Complex>(real ? nx / 2 + 1 : nx)) {
    for (const Range& group : groups) runs_.push_back(runs_of(columns, group));
    const std::int64_t tile = tile_of_lines(nx, sizeof(Complex));
    scratch_ = Scratch<Complex>(options.threads, tile * pitch_);
    constexpr std::int64_t values = real ? 2 : 1;  // grid values in the memory of one complex number
    Lines lines{.kind = real ? LineKind::to_real_grid : LineKind::to_grid,
                .n = nx,
                .count = rows,
                .in = {1, pitch_},
                .out = {1, nx},
                .single = sizeof(Complex) == sizeof(std::complex<float>),
                .reproducible = options.reproducible};
    to_grid_ = LineTiles(library, lines, tile);
    lines.out = {1, values * pitch_};
    lines.in_place = true;
    to_grid_here_ = LineTiles(library, lines, tile);
    std::swap(lines.in, lines.out);
    lines.kind = real ? LineKind::from_real_grid : LineKind::to_waves;
    from_grid_here_ = LineTiles(library, lines, tile);
    lines.in = {1, nx};
    lines.in_place = false;
    from_grid_ = LineTiles(library, lines, tile);
  }

  std::int64_t tiles() const { return to_grid_.tiles(); }

  /// Rows of tile `t` of a plane, dense in `grid` (that of row 0).
  void to_grid(std::int64_t t, const std::vector<CompactRows<Complex>>& parts, Value* grid, int thread) {
    const Range rows = to_grid_.lines(t);
    expand(rows, parts, scratch_.of(thread));
    to_grid_.run(t, scratch_.of(thread), grid + rows.low * nx_);
  }
  void from_grid(std::int64_t t, const Value* grid, const std::vector<CompactRows<Complex>>& parts, int thread) {
    const Range rows = to_grid_.lines(t);
    from_grid_.run(t, grid + rows.low * nx_, scratch_.of(thread));
    compress(rows, scratch_.of(thread), parts);
  }
  /// To the grid, visit(rows, view of their values), and back.
  template <class Visit>
  void round_trip(std::int64_t t, const std::vector<CompactRows<Complex>>& parts, const Visit& visit, int thread) {
    const Range rows = to_grid_.lines(t);
    Complex* lines = scratch_.of(thread);
    expand(rows, parts, lines);
    to_grid_here_.run(t, lines, lines);
    constexpr std::int64_t values = real ? 2 : 1;
    visit(rows, View<Value>{reinterpret_cast<Value*>(lines),
                            {nx_, rows.size(), 1},
                            {1, values * pitch_, values * pitch_ * rows.size()}});
    from_grid_here_.run(t, lines, lines);
    compress(rows, lines, parts);
  }

 private:
  /// Neighbouring columns whose x are neighbours as well.
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

  void expand(const Range& rows, const std::vector<CompactRows<Complex>>& parts, Complex* lines) const {
    std::fill_n(lines, rows.size() * pitch_, Complex{});
    for (const auto& part : parts) {
      for (const Run& run : runs_[part.group]) {
        for (std::int64_t y = rows.low; y < rows.high; ++y) {
          std::copy_n(part.data + y * part.pitch + run.column, run.length, lines + (y - rows.low) * pitch_ + run.x);
        }
      }
    }
  }
  void compress(const Range& rows, const Complex* lines, const std::vector<CompactRows<Complex>>& parts) const {
    for (const auto& part : parts) {
      for (const Run& run : runs_[part.group]) {
        for (std::int64_t y = rows.low; y < rows.high; ++y) {
          std::copy_n(lines + (y - rows.low) * pitch_ + run.x, run.length, part.data + y * part.pitch + run.column);
        }
      }
    }
  }

  std::int64_t nx_, pitch_;
  std::vector<std::vector<Run>> runs_;
  LineTiles to_grid_, to_grid_here_, from_grid_here_, from_grid_;
  Scratch<Complex> scratch_;
};

}  // namespace seiche
