// SPDX-License-Identifier: BSD-3-Clause
/// \file  One-dimensional transforms of many lines at once: the contract, and the libraries behind it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "seiche/fft.hpp"

namespace seiche {

/// How lines lie in memory, in elements of their own kind (reals for the real side of r2c and c2r).
struct LineLayout {
  std::int64_t stride = 1;    ///< between points of a line
  std::int64_t distance = 0;  ///< between lines
  friend auto operator<=>(const LineLayout&, const LineLayout&) = default;
};

enum class LineKind {
  backward,       ///< c2c, exp(+i)
  forward,        ///< c2c, exp(-i)
  to_real_grid,   ///< c2r, exp(+i); n/2+1 points in, n reals out; the input is lost
  from_real_grid  ///< r2c, exp(-i); n reals in, n/2+1 points out
};

/// A batch of `count` lines of `n` points (n reals for the real kinds).
struct Lines {
  LineKind kind = LineKind::backward;
  std::int64_t n = 0, count = 0;
  LineLayout in, out;
  bool in_place = false;
  bool single = false;        ///< float instead of double
  double scale = 1;           ///< the result is multiplied by it
  bool reproducible = false;  ///< each line is computed by the same code, wherever it lies and however many there are
  /// Of one line at either end: a spectrum of real values is its first half.
  std::int64_t points_in() const { return kind == LineKind::to_real_grid ? n / 2 + 1 : n; }
  std::int64_t points_out() const { return kind == LineKind::from_real_grid ? n / 2 + 1 : n; }
  friend auto operator<=>(const Lines&, const Lines&) = default;
};

class LineFft {
 public:
  virtual ~LineFft() = default;
  /// May be called from several threads at once, for different memory. `in` and `out` are aligned like one real.
  virtual void run(const void* in, void* out) const = 0;
};

/// The transform for a batch of lines. Made once per process and kept: asking again costs a look-up.
std::shared_ptr<const LineFft> line_fft(LineLibrary library, const Lines& lines);

}  // namespace seiche
