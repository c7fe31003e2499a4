// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/ends.hpp"

namespace seiche {

namespace {

void make_room(Bytes& memory, std::size_t bytes) {
  if (memory.size() >= bytes) return;
  memory = Bytes();
  memory.resize(bytes);
}

}  // namespace

void Ends::place_in(std::shared_ptr<EndMemory> memory, std::size_t element) {
  memory_ = std::move(memory);
  element_ = element;
  make_room(memory_->source, static_cast<std::size_t>(moved_.source_size) * element);
  make_room(memory_->target, static_cast<std::size_t>(moved_.target_size) * element);
}

TargetPatch Ends::target(int rank) const {
  const bool stays = rank == rank_ && target_memory_ != TargetMemory::own;
  const Patch& patch = stays ? kept_ : moved_.target[static_cast<std::size_t>(rank)];
  return {at(stays ? source_memory() : target_memory(), patch.offset), patch};
}

std::vector<Ends> ends_of(std::span<const Route> parts, int rank, TargetMemory target_memory) {
  std::vector<Ends> ends;
  for (Route route : parts) {
    const auto me = static_cast<std::size_t>(rank);
    const Patch kept = route.source[me];
    if (target_memory != TargetMemory::own) route.source[me] = route.target[me] = Patch{};
    ends.emplace_back(std::move(route), kept, rank, target_memory);
  }
  return ends;
}

}  // namespace seiche
