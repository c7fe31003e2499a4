// SPDX-License-Identifier: BSD-3-Clause
#include "files/bands/wave_order.hpp"

#include <algorithm>
#include <tuple>

namespace seiche {

std::vector<Miller> x_fastest(std::span<const Miller> waves) {
  std::vector<Miller> sorted(waves.begin(), waves.end());
  const auto place = [](std::int32_t index) { return static_cast<std::uint32_t>(index); };  // -1 comes last
  std::sort(sorted.begin(), sorted.end(), [&](const Miller& p, const Miller& q) {
    return std::tuple(place(p.z), place(p.y), place(p.x)) < std::tuple(place(q.z), place(q.y), place(q.x));
  });
  return sorted;
}

}  // namespace seiche
