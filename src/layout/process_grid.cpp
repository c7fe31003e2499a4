// SPDX-License-Identifier: BSD-3-Clause
#include "layout/process_grid.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace seiche {

ProcessGrid arrange(int ranks, std::int64_t n_slow, std::int64_t n_fast, Split split) {
  if (split == Split::slow) return {ranks, 1};
  const auto share = [](std::int64_t n, int parts) { return (n + parts - 1) / parts; };
  const auto at_most = [](int parts, std::int64_t n) {
    return static_cast<int>(std::min<std::int64_t>(parts, std::max<std::int64_t>(n, 1)));
  };
  ProcessGrid best;
  std::pair least{true, std::numeric_limits<std::int64_t>::max()};
  for (int slow = at_most(ranks, n_slow); slow >= 1; --slow) {
    const int fast = at_most(ranks / slow, n_fast);
    const bool one_whole = split == Split::both && (slow == 1 || fast == 1);
    const std::pair cost{one_whole, share(n_slow, slow) * share(n_fast, fast)};
    if (cost < least) {
      least = cost;
      best = {slow, fast};
    }
  }
  return best;
}

}  // namespace seiche
