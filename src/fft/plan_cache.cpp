// SPDX-License-Identifier: BSD-3-Clause
#include "fft/plan_cache.hpp"

#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

std::shared_ptr<CachedPlan> PlanCache::find(const Communicator& comm, const PlanRequest& request) {
  const auto found =
      std::find_if(places_.begin(), places_.end(), [&](const Place& place) { return place.key == request.key; });
  const std::int64_t number = found == places_.end() ? 0 : found->number;
  const auto [numbers, digests] = bounds(comm, std::array{number, request.common}, request.fault);
  require(digests.first == digests.second, Fault::bad_argument,
          "ranks passed different grids or options to a collective constructor: pass the same on all ranks");
  return number > 0 && numbers.first == numbers.second ? found->thing : nullptr;
}

void PlanCache::use(const std::shared_ptr<CachedPlan>& thing, const std::string& key) {
  const auto found =
      std::find_if(places_.begin(), places_.end(), [&](const Place& place) { return place.thing == thing; });
  if (found != places_.end()) return places_.splice(places_.begin(), places_, found);
  places_.push_front({++last_number_, key, thing});
  if (places_.size() <= capacity) return;
  const auto last = places_.back().thing;
  places_.pop_back();
  last->close();
}

void PlanCache::clear() {
  while (!places_.empty()) {
    const auto thing = places_.back().thing;
    places_.pop_back();
    thing->close();
  }
}

}  // namespace seiche
