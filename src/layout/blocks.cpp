// SPDX-License-Identifier: BSD-3-Clause
/// \file  Splitting and intersection of ranges and boxes.
#include <algorithm>

#include "seiche/layout.hpp"

namespace seiche {

Range block(std::int64_t n, int parts, int part) {
  const std::int64_t size = n / parts, longer = n % parts;
  const std::int64_t low = part * size + std::min<std::int64_t>(part, longer);
  return {low, low + size + (part < longer ? 1 : 0)};
}

Range weighted_block(std::int64_t n, std::span<const int> weights, std::size_t part) {
  std::int64_t before = 0, all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += i < part ? weights[i] : 0;
    all += weights[i];
  }
  return {n * before / all, n * (before + weights[part]) / all};
}

int block_owner(std::int64_t n, int parts, std::int64_t index) {
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
