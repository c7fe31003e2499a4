// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lines that lie side by side along two axes: points and fields, rows and fields.
#pragma once

#include <utility>

#include "fft/tiles.hpp"

namespace seiche {

/// Strides of one end, in values of its own kind.
struct SheetPlace {
  std::int64_t along;      ///< from point to point of a line
  std::int64_t neighbour;  ///< from line to line of a row
  std::int64_t row;        ///< from row to row
};

class LineSheet {
 public:
  LineSheet() = default;
  /// `rows` rows of `lines.count` lines each, in tiles of `tile` neighbours.
  LineSheet(LineLibrary library, Lines lines, std::int64_t rows, SheetPlace in, SheetPlace out, std::int64_t tile)
      : rows_(rows) {
    constexpr std::int64_t too_few = 4;  // neighbours, while rows are many
    if (in.row == in.neighbour * lines.count && out.row == out.neighbour * lines.count) {
      lines.count *= std::exchange(rows_, 1);
    } else if (lines.count < too_few && rows > lines.count) {
      std::swap(lines.count, rows_);
      std::swap(in.neighbour, in.row);
      std::swap(out.neighbour, out.row);
    }
    lines.in = {in.along, in.neighbour};
    lines.out = {out.along, out.neighbour};
    lines_ = LineTiles(library, lines, tile);
    in_ = in;
    out_ = out;
    points_ = lines.n;
    in_place_ = lines.in_place;
  }

  template <class In, class Out>
  void run(const In* in, Out* out) const {
    each_tile(
        [&](std::int64_t t, std::int64_t row) { lines_.run(t, in + place(in_, row, t), out + place(out_, row, t)); });
  }
  /// For lines whose points are too far apart for the hardware to foresee: while a tile is transformed, the next is on
  /// its way to the cache. `next`: where the first tile of the next sheet will be read.
  template <class In, class Out>
  void run_ahead(const In* in, Out* out, const In* next) const {
    each_tile([&](std::int64_t t, std::int64_t row) {
      const bool more = t + 1 < lines_.tiles(), more_rows = row + 1 < rows_;
      const std::int64_t ahead = more ? t + 1 : 0;
      fetch(more        ? in + place(in_, row, ahead)
            : more_rows ? in + place(in_, row + 1, 0)
                        : next,
            lines_.lines(ahead).size());
      lines_.run(t, in + place(in_, row, t), out + place(out_, row, t));
    });
  }

 private:
  std::int64_t place(const SheetPlace& end, std::int64_t row, std::int64_t tile) const {
    return row * end.row + lines_.lines(tile).low * end.neighbour;
  }
  template <class Work>
  void each_tile(const Work& work) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t t = 0; t < lines_.tiles(); ++t) work(t, row);
    }
  }
  /// Asks for the cache lines of a tile; harmless beyond the end of memory.
  template <class In>
  void fetch(const In* tile, std::int64_t width) const {
    constexpr auto in_a_line = static_cast<std::int64_t>(cache_line / sizeof(In));
    const std::int64_t step = std::max<std::int64_t>(in_a_line / std::max<std::int64_t>(in_.neighbour, 1), 1);
    for (std::int64_t p = 0; p < points_; ++p) {
      for (std::int64_t l = 0; l < width; l += step) {
        const In* value = tile + p * in_.along + l * in_.neighbour;
        in_place_ ? __builtin_prefetch(value, 1, 2) : __builtin_prefetch(value, 0, 2);
      }
    }
  }

  std::int64_t rows_ = 0, points_ = 0;
  bool in_place_ = false;
  SheetPlace in_{}, out_{};
  LineTiles lines_;
};

}  // namespace seiche
