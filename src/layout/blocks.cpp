// SPDX-License-Identifier: BSD-3-Clause
/// \file  Splitting and intersection of ranges and boxes.
#include <algorithm>
#include <limits>

#include "layout/sound_shape.hpp"
#include "seiche/layout.hpp"
#include "support/require.hpp"

namespace seiche {

void require_sound(const GridShape& shape) {
  const auto& [nx, ny, nz] = shape;
  require(nx > 0 && ny > 0 && nz > 0, Fault::bad_argument, "grid dimensions must be positive (got {} x {} x {})", nx,
          ny, nz);
  constexpr std::int64_t most_along = std::numeric_limits<std::int32_t>::max(),
                         most_points = (std::int64_t{1} << 53) - 1;
  require(std::max({nx, ny, nz}) <= most_along && nx * ny <= most_points / nz, Fault::bad_argument,
          "grid dimensions must be below 2^31, and the number of points below 2^53 (got {} x {} x {})", nx, ny, nz);
}

Range block(std::int64_t n, int parts, int part) {
  require(n >= 0 && parts > 0 && part >= 0 && part < parts, Fault::bad_argument,
          "a range of {} indices has no part {} of {}: pass at least one part, and parts from 0", n, part, parts);
  const std::int64_t size = n / parts, longer = n % parts;
  const std::int64_t low = part * size + std::min<std::int64_t>(part, longer);
  return {low, low + size + (part < longer ? 1 : 0)};
}

Range weighted_block(std::int64_t n, std::span<const int> weights, std::size_t part) {
  std::int64_t before = 0, all = 0;
  bool sound = n >= 0 && part < weights.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += i < part ? weights[i] : 0;
    all += weights[i];
    sound = sound && weights[i] >= 0;
  }
  require(sound && all > 0, Fault::bad_argument,
          "a range of {} indices has no part {} of {}: pass weights that are not negative, with a positive sum", n,
          part, weights.size());
  require(n <= std::numeric_limits<std::int64_t>::max() / all, Fault::bad_argument,
          "the weights of the parts of {} indices are too large (sum {}): divide them by a common factor", n, all);
  return {n * before / all, n * (before + weights[part]) / all};
}

int block_owner(std::int64_t n, int parts, std::int64_t index) {
  require(parts > 0 && index >= 0 && index < n, Fault::bad_argument,
          "index {} is in none of {} parts of {} indices: pass at least one part, and indices from 0", index, parts, n);
  const std::int64_t size = n / parts, longer = n % parts;
  const std::int64_t in_longer = longer * (size + 1);
  return static_cast<int>(index < in_longer ? index / (size + 1) : longer + (index - in_longer) / size);
}

Box whole(const GridShape& shape) { return {{Range{0, shape.nx}, Range{0, shape.ny}, Range{0, shape.nz}}}; }

Box intersect(const Box& a, const Box& b) {
  Box common;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t low = std::max(a.axis[i].low, b.axis[i].low);
    common.axis[i] = {low, std::max(low, std::min(a.axis[i].high, b.axis[i].high))};
  }
  return common;
}

}  // namespace seiche
