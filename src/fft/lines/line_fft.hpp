// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interface of batched 1D FFTs and their libraries.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "seiche/fft.hpp"

namespace seiche {

/// Memory layout of lines, in elements of their type (reals for the real side of r2c and c2r).
struct LineLayout {
  std::int64_t stride = 1;    ///< between neighbouring points of a line
  std::int64_t distance = 0;  ///< between neighbouring lines
  friend auto operator<=>(const LineLayout&, const LineLayout&) = default;
};

enum class LineKind {
  backward,       ///< c2c, exp(+i)
  forward,        ///< c2c, exp(-i)
  to_real_grid,   ///< c2r, exp(+i); n/2+1 points in, n reals out; the input is lost
  from_real_grid  ///< r2c, exp(-i); n reals in, n/2+1 points out
};

/// A batch of `count` 1D FFTs of `n` points (n reals for real transforms).
struct Lines {
  LineKind kind = LineKind::backward;
  std::int64_t n = 0, count = 0;
  LineLayout in, out;
  bool in_place = false;
  bool single = false;        ///< float instead of double
  double scale = 1;           ///< factor of the result
  bool reproducible = false;  ///< the same code computes each line, for any layout and number of lines
  bool measured = false;      ///< the library measures its algorithms first, if it can
  /// Returns the number of points of a line in the input or the output. The spectrum of real values has n/2+1 points.
  std::int64_t points_in() const { return kind == LineKind::to_real_grid ? n / 2 + 1 : n; }
  std::int64_t points_out() const { return kind == LineKind::from_real_grid ? n / 2 + 1 : n; }
  friend auto operator<=>(const Lines&, const Lines&) = default;
};

class LineFft {
 public:
  virtual ~LineFft() = default;
  /// Computes the batch. Several threads may call it for different memory. `in` and `out` have the alignment of a real
  /// number.
  virtual void run(const void* in, void* out) const = 0;
};

/// Returns a batch with the settings of a plan.
template <class Real>
Lines lines_with(const FftOptions& options) {
  Lines lines;
  lines.single = sizeof(Real) == sizeof(float);
  lines.reproducible = options.reproducible;
  lines.measured = options.measured;
  return lines;
}

/// Returns the transform for a batch. Transforms are created once per process and cached. Transforms that are neither
/// measured nor reproducible are measured after they have run for some time.
std::shared_ptr<const LineFft> line_fft(LineLibrary library, const Lines& lines);

}  // namespace seiche
