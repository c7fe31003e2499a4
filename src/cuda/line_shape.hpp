// SPDX-License-Identifier: BSD-3-Clause
/// \file  How threads of a warp share lines of FFTs.
#pragma once

namespace seiche::cuda {

/// A line of first * second points is transformed by `lanes` threads of a warp.
struct LineShape {
  int first = 0, second = 0, lanes = 0;

  constexpr int lines() const { return 32 / lanes; }                           ///< of a warp
  constexpr int first_rounds() const { return (second + lanes - 1) / lanes; }  ///< butterflies of a thread, first pass
  constexpr int second_rounds() const { return (first + lanes - 1) / lanes; }
  constexpr int values() const {  ///< of a thread
    const int a = first_rounds() * first, b = second_rounds() * second;
    return a > b ? a : b;
  }
  /// Returns the time of a line, in arbitrary units. Many values of a thread leave fewer threads, or need spills.
  constexpr double cost() const {
    const double slots = double(first_rounds() * first + second_rounds() * second) / lines();
    const int v = values();
    return slots * (1 + (v > 12 ? 0.02 * (v - 12) : 0) + (v > 16 ? 0.03 * (v - 16) : 0));
  }
};

/// Tells whether butterflies exist for a radix.
constexpr bool is_radix(int r) {
  return r > 1 && r <= 25 && r != 11 && r != 13 && r != 17 && r != 19 && r != 22 && r != 23;
}

/// Returns the shape of least cost for lines of n points. `first` is 0 if there is none.
constexpr LineShape line_shape(int n) {
  LineShape best;
  for (int second = 2; second <= 25; second++) {
    const int first = n / second;
    if (n % second != 0 || first < second || !is_radix(first) || !is_radix(second)) continue;
    for (int lanes = 4; lanes <= 16 && lanes <= first; lanes++) {
      const LineShape shape{first, second, lanes};
      if (best.first == 0 || shape.cost() < best.cost()) best = shape;
    }
  }
  return best;
}

}  // namespace seiche::cuda
