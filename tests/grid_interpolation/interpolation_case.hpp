// SPDX-License-Identifier: BSD-3-Clause
/// \file  Fields on a grid, and their values on another grid by the definition.
#pragma once

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "fft/dense_case.hpp"
#include "seiche/grid_interpolation.hpp"

namespace seiche::testing {

/// A wave along one axis, with its weight. The waves n/2 and -n/2 of an even number of points are one wave, of which
/// both have half.
struct WeightedWave {
  std::int64_t index;
  double weight;
};
/// Returns the waves of `from` points that `into` points have, too.
inline std::vector<WeightedWave> common_waves(std::int64_t from, std::int64_t into) {
  std::vector<WeightedWave> waves;
  for (std::int64_t g = -from; g <= from; ++g) {
    const std::int64_t twice = 2 * std::abs(g);
    if (twice <= from && twice <= into) waves.push_back({g, twice == from ? 0.5 : 1.0});
  }
  return waves;
}

template <class Value>
struct InterpolationCase {
  InterpolationCase(const GridShape& of, const GridShape& on, std::int64_t fields)
      : from(of), to(on), grids(of, fields) {
    for (const auto& spectrum : grids.spectrum) results.push_back(shared_fourier_sum(waves_of(spectrum), to, +1));
  }
  /// Returns [field][z][y][x] of a box.
  static std::vector<Value> on(const Box& box, const std::vector<std::vector<Wide>>& fields, const GridShape& shape) {
    const FieldArray array = consecutive(box);
    return values_in<Value>(array, std::ssize(fields), extent(array, std::ssize(fields)), shape,
                            [&](std::int64_t f, std::size_t at) { return fields[static_cast<std::size_t>(f)][at]; });
  }
  std::int64_t fields() const { return std::ssize(grids.grid); }
  double tolerance() const { return grids.tolerance * static_cast<double>(from.volume() + 10); }

  GridShape from, to;
  Grids<Value> grids;
  std::vector<std::vector<Wide>> results;  // [field][point]

 private:
  std::vector<Wide> waves_of(const std::vector<Wide>& spectrum) const {
    std::vector<Wide> waves(static_cast<std::size_t>(to.volume()));
    for (const auto& x : common_waves(from.nx, to.nx)) {
      for (const auto& y : common_waves(from.ny, to.ny)) {
        for (const auto& z : common_waves(from.nz, to.nz)) {
          const Point wave{x.index, y.index, z.index};
          waves[index_in(to, wave)] += x.weight * y.weight * z.weight * spectrum[index_in(from, wave)];
        }
      }
    }
    return waves;
  }
};

}  // namespace seiche::testing
