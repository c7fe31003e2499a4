// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/ends.hpp"

namespace seiche {

TargetPatch Ends::target(int rank) const {
  const bool stays = rank == rank_ && request_.target_memory != TargetMemory::own;
  const Patch& patch = stays ? kept_ : moved_.target[static_cast<std::size_t>(rank)];
  return {at(stays ? source_memory() : target_memory(), patch.offset), patch};
}

std::vector<Ends> ends_of(std::span<const Route> parts, int rank, const ExchangeRequest& request) {
  std::vector<Ends> ends;
  for (Route route : parts) {
    const auto me = static_cast<std::size_t>(rank);
    const Patch kept = route.source[me];
    if (request.target_memory != TargetMemory::own) route.source[me] = route.target[me] = Patch{};
    ends.emplace_back(std::move(route), kept, rank, request);
  }
  return ends;
}

}  // namespace seiche
