// SPDX-License-Identifier: BSD-3-Clause
#include "predict/bound.hpp"

#include <map>

namespace seiche::predict {

namespace {

LeastBytes beyond(double cache, double moved, double arrays) { return {arrays > cache ? moved : 0, arrays}; }

/// How often a case uses the coefficients, the columns and the real numbers on the grid.
struct Uses {
  double waves, columns, grid;
};

LeastBytes least_bytes(const BandArrays& band, const Uses& uses, double cache) {
  const double waves = bytes_of_elements(band.waves), columns = bytes_of_elements(band.columns);
  const double grid = bytes_of_elements(band.grid) / 2;
  return beyond(cache, uses.waves * waves + uses.columns * columns + uses.grid * grid, waves + columns + grid);
}

/// Returns the seconds of the 1D FFTs of the slowest rank.
double seconds_of_lines(const NodeWork& work, const BoundRates& rates) {
  std::map<std::int64_t, double> rate;
  for (const Work& of : work.ranks) {
    for (const LinesOf& lines : of.lines) {
      if (lines.n > 1) rate[lines.n] = 0;
    }
  }
  for (auto& [n, of_n] : rate) of_n = rates.lines(n);
  double most = 0;
  for (const Work& of : work.ranks) {
    double seconds = 0;
    for (const LinesOf& lines : of.lines) {
      if (lines.n > 1) seconds += lines.operations / rate.at(lines.n);
    }
    most = std::max(most, seconds);
  }
  return most;
}

}  // namespace

LeastBytes least_bytes_of_pair(std::int64_t points, double cache) {
  return beyond(cache, 4 * bytes_of_elements(points), bytes_of_elements(points));
}

LeastBytes least_bytes_of_round_trip(const BandArrays& band, double cache) {
  return least_bytes(band, {2, 3, 1}, cache);
}

LeastBytes least_bytes_of_density(const BandArrays& band, double cache) { return least_bytes(band, {1, 2, 1}, cache); }

Bound bound_of(const NodeWork& work, double share, const LeastBytes& bytes, const BoundRates& rates) {
  Bound bound;
  bound.lines = share * seconds_of_lines(work, rates) / work.units;
  bound.bytes = bytes.moved;
  if (bytes.moved > 0) bound.memory = bytes.moved / rates.memory(bytes.arrays);
  double leaving = 0;
  for (const Work& of : work.ranks) leaving += of.between.bytes;
  if (rates.between > 0) bound.links = share * leaving / rates.between / work.units;
  return bound;
}

}  // namespace seiche::predict
