// SPDX-License-Identifier: BSD-3-Clause
/// \file  A field of one wave, so that results of operators and of interpolations are known.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "bench_report.hpp"
#include "seiche/layout.hpp"

namespace seiche::command {

inline constexpr std::array<std::int64_t, 3> wave{1, -2, 3};  // G, in a cube whose edge is 2 pi
inline constexpr double square_of_wave = 1 + 4 + 9;

/// Returns cos(G.r + phase) on this rank.
inline std::vector<double> cosine(const Box& box, const GridShape& shape, double phase) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(box.volume()));
  const std::array n{shape.nx, shape.ny, shape.nz};
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        double turns = 0;
        const std::array at{x, y, z};
        for (std::size_t a = 0; a < 3; ++a)
          turns += static_cast<double>(modulo(wave[a] * at[a], n[a])) / static_cast<double>(n[a]);
        values.push_back(std::cos(2 * std::numbers::pi * turns + phase));
      }
    }
  }
  return values;
}

/// Returns the largest difference between values and `factor` times the wanted ones.
inline double largest_error(std::span<const double> found, std::span<const double> wanted, double factor) {
  double error = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double off = std::abs(found[i] - factor * wanted[i]);
    if (!(off <= error)) error = off;  // also true for NaN
  }
  return error;
}

}  // namespace seiche::command
