// SPDX-License-Identifier: BSD-3-Clause
#include "layout/process_grid.hpp"

#include <algorithm>
#include <limits>

namespace seiche {

ProcessGrid arrange(int ranks, std::int64_t n_slow, std::int64_t n_fast, bool fast_split) {
  if (!fast_split) return {ranks, 1};
  const auto share = [](std::int64_t n, int parts) { return (n + parts - 1) / parts; };
  ProcessGrid best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int slow = static_cast<int>(std::min<std::int64_t>(ranks, std::max<std::int64_t>(n_slow, 1))); slow >= 1;
       --slow) {
    const int fast = static_cast<int>(std::min<std::int64_t>(ranks / slow, std::max<std::int64_t>(n_fast, 1)));
    const std::int64_t largest = share(n_slow, slow) * share(n_fast, fast);
    if (largest < least) {
      least = largest;
      best = {slow, fast};
    }
  }
  return best;
}

}  // namespace seiche
