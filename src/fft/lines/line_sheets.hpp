// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs of lines that are neighbours along two axes: points and fields, or rows and fields.
#pragma once

#include <utility>
#include <vector>

#include "fft/lines/tiles.hpp"
#include "support/stream_copy.hpp"

namespace seiche {

enum class Intent { read, write };

/// Prefetches the cache lines of `width` contiguous values at each of `points` points with stride `along`. Addresses
/// beyond the end of memory are harmless. always_inline is needed, because GCC removes calls of functions without
/// effect.
template <Intent intent, class T>
[[gnu::always_inline]] inline void fetch(const T* first, std::int64_t points, std::int64_t along, std::int64_t width) {
  constexpr auto in_a_line = static_cast<std::int64_t>(cache_line / sizeof(T));
  for (std::int64_t p = 0; p < points; ++p) {
    for (std::int64_t l = 0; l < width; l += in_a_line) {
      __builtin_prefetch(first + p * along + l, intent == Intent::write ? 1 : 0, 2);
    }
  }
}

/// Strides of input or output, in elements of its type.
struct SheetPlace {
  std::int64_t along;      ///< between neighbouring points of a line
  std::int64_t neighbour;  ///< between neighbouring lines of a row
  std::int64_t row;        ///< between rows
};

class LineSheet {
 public:
  LineSheet() = default;
  /// Creates the transforms of `rows` rows of `lines.count` lines each, in tiles of `tile` neighbours. `ahead`:
  /// prefetch the next tile, if the memory is larger than the caches.
  LineSheet(LineLibrary library, Lines lines, std::int64_t rows, SheetPlace in, SheetPlace out, std::int64_t tile,
            bool ahead = false)
      : rows_(rows), ahead_(ahead) {
    constexpr std::int64_t too_few = 4;  // smaller numbers of neighbours are exchanged with rows
    if (rows == 0) lines.count = 0;
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
    in_ = {in, lines.points_in()};
    out_ = {out, lines.points_out()};
  }

  template <class In, class Out>
  void run(const In* in, Out* out) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t t = 0; t < lines_.tiles(); ++t) {
        if (ahead_) {
          fetch_after<Intent::read>(row, t, in_, in);
          fetch_after<Intent::write>(row, t, out_, out);
        }
        lines_.run(t, in + begin(in_, row, t), out + begin(out_, row, t));
      }
    }
  }
  /// Transforms lines in place and prefetches the next tile. It is for strides that the hardware does not prefetch.
  /// `next`: beginning of the next sheet. \pre all lines are contiguous neighbours
  template <class Complex>
  void run_ahead(Complex* values, const Complex* next) const {
    for (std::int64_t t = 0; t < lines_.tiles(); ++t) {
      const bool last = t + 1 == lines_.tiles();
      const Range ahead = lines_.lines(last ? 0 : t + 1);
      fetch<Intent::write>((last ? next : values) + ahead.low, in_.points, in_.place.along, ahead.size());
      Complex* tile = values + lines_.lines(t).low;
      lines_.run(t, tile, tile);
    }
  }

 private:
  struct Side {
    SheetPlace place{};
    std::int64_t points = 0;
  };
  std::int64_t begin(const Side& side, std::int64_t row, std::int64_t tile) const {
    return row * side.place.row + lines_.lines(tile).low * side.place.neighbour;
  }

  struct Step {
    std::int64_t count, apart;
  };
  /// Prefetches one end of the next tile, by cache lines if values are close, else one by one. Inlined for the same
  /// reason as fetch().
  template <Intent intent, class T>
  [[gnu::always_inline]] void fetch_after(std::int64_t row, std::int64_t tile, const Side& side, const T* first) const {
    const bool last = tile + 1 == lines_.tiles();
    const std::int64_t next = last ? 0 : tile + 1;
    if (last && ++row == rows_) return;
    const T* there = first + begin(side, row, next);
    Step near{side.points, side.place.along}, far{lines_.lines(next).size(), side.place.neighbour};
    if (near.apart > far.apart) std::swap(near, far);
    if (near.apart * static_cast<std::int64_t>(sizeof(T)) < static_cast<std::int64_t>(cache_line)) {
      return fetch<intent>(there, far.count, far.apart, near.count * near.apart);
    }
    for (std::int64_t f = 0; f < far.count; ++f) fetch<intent>(there + f * far.apart, near.count, near.apart, 1);
  }

  std::int64_t rows_ = 0;
  bool ahead_ = false;
  Side in_, out_;
  LineTiles lines_;
};

/// Same between the plan's memory, where lines are contiguous neighbours, and the caller's memory, where they are not.
/// A tile is copied through scratch memory in cache, so that each value of the caller is accessed once, in contiguous
/// runs.
class FarSheet {
 public:
  enum class End { in, out };

  FarSheet() = default;
  /// `far`: the end that is the caller's memory; `bytes`: size of that memory on this rank.
  FarSheet(LineLibrary library, Lines lines, std::int64_t rows, const SheetPlace& in, const SheetPlace& out, End far,
           std::int64_t bytes)
      : own_(far == End::in ? out : in),
        theirs_(far == End::in ? in : out),
        past_caches_(bytes > most_in_caches),
        neighbours_(lines.count),
        points_(lines.n) {
    if (rows == 0) lines.count = 0;
    const bool merged = own_.row == own_.neighbour * neighbours_;
    rows_ = merged ? 1 : rows;
    if (merged) lines.count *= rows;
    tile_ = std::max<std::int64_t>(std::min(lines.count, tile_of(neighbours_)), 1);
    lines.in_place = false;
    // all tiles except the last are equal, and use the same scratch memory
    const LineLayout scratch{tile_, 1}, own{own_.along, own_.neighbour};
    lines.in = far == End::in ? scratch : own;
    lines.out = far == End::in ? own : scratch;
    lines_ = LineTiles(library, lines, tile_);
  }

  /// Transforms from the caller's memory. \pre created with `far` = in
  template <class Complex>
  void gather(const Complex* theirs, Complex* own) const {
    thread_local aligned_vector<Complex> scratch;
    each_tile(scratch, [&](std::int64_t t, std::int64_t row, std::int64_t place, const std::vector<Run>& runs) {
      fetch<Intent::read>(theirs + far_place(row, lines_.lines(t).high), points_, theirs_.along, tile_);
      fetch<Intent::write>(own + place + tile_ * own_.neighbour, points_, own_.along, tile_);
      each_run(runs, [&](std::int64_t near, std::int64_t far, std::int64_t n) {
        copy(theirs + far, n, scratch.data() + near);
      });
      lines_.run(t, scratch.data(), own + place);
    });
  }
  /// Transforms to the caller's memory. \pre created with `far` = out
  template <class Complex, class Value>
  void scatter(const Complex* own, Value* theirs) const {
    thread_local aligned_vector<Value> scratch;
    each_tile(scratch, [&](std::int64_t t, std::int64_t, std::int64_t place, const std::vector<Run>& runs) {
      fetch<Intent::read>(own + place + tile_ * own_.neighbour, points_, own_.along, tile_);
      lines_.run(t, own + place, scratch.data());
      each_run(runs, [&](std::int64_t near, std::int64_t far, std::int64_t n) {
        if (past_caches_) {
          stream_copy(theirs + far, scratch.data() + near, static_cast<std::size_t>(n) * sizeof(Value));
        } else {
          copy(scratch.data() + near, n, theirs + far);
        }
      });
    });
    if (past_caches_) complete_streams();
  }

 private:
  /// Limit of the caller's memory in caches. Above it, the beginning is no longer in cache when the end is written.
  static constexpr std::int64_t most_in_caches = 8 << 20;

  /// Lines of a tile that are contiguous in the caller's memory: positions in scratch memory and there.
  struct Run {
    std::int64_t near, far, length;
  };
  /// Calls work(tile, row, position of its first line in the plan's memory, runs) for all tiles.
  template <class Value, class Work>
  void each_tile(aligned_vector<Value>& scratch, const Work& work) const {
    scratch.resize(std::max(scratch.size(), static_cast<std::size_t>(points_ * tile_)));
    thread_local std::vector<Run> runs;
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t t = 0; t < lines_.tiles(); ++t) {
        const Range some = lines_.lines(t);
        find_runs(row, some, runs);
        work(t, row, row * own_.row + some.low * own_.neighbour, runs);
      }
    }
  }
  /// Returns about eight lines, with all fields of a point in the same tile.
  static std::int64_t tile_of(std::int64_t fields) {
    constexpr std::int64_t some = 8;
    return fields > 2 * some ? some : fields * ((some + fields - 1) / fields);
  }
  std::int64_t far_place(std::int64_t row, std::int64_t line) const {
    return (row + line / neighbours_) * theirs_.row + line % neighbours_ * theirs_.neighbour;
  }
  void find_runs(std::int64_t row, const Range& some, std::vector<Run>& runs) const {
    runs.clear();
    for (std::int64_t l = some.low; l < some.high; ++l) {
      const std::int64_t far = far_place(row, l);
      if (!runs.empty() && runs.back().far + runs.back().length == far) {
        ++runs.back().length;
      } else {
        runs.push_back({l - some.low, far, 1});
      }
    }
  }
  template <class Copy>
  void each_run(const std::vector<Run>& runs, const Copy& copy_run) const {
    for (std::int64_t p = 0; p < points_; ++p) {
      for (const Run& run : runs) copy_run(p * tile_ + run.near, p * theirs_.along + run.far, run.length);
    }
  }
  template <class T>
  static void copy(const T* from, std::int64_t n, T* into) {
    for (std::int64_t i = 0; i < n; ++i) into[i] = from[i];
  }

  SheetPlace own_{}, theirs_{};
  bool past_caches_ = false;
  std::int64_t neighbours_ = 1, points_ = 0, rows_ = 0, tile_ = 1;
  LineTiles lines_;
};

}  // namespace seiche
