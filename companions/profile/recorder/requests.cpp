// SPDX-License-Identifier: BSD-3-Clause
#include "recorder/requests.hpp"

#include <array>

namespace seiche::profile {

namespace {

constexpr std::size_t pending_capacity = 16384, channel_capacity = 65536, tries = 32;
std::array<Pending, pending_capacity> table;

struct Channel {
  std::uint64_t id, messages;
};
std::array<Channel, channel_capacity> channels;

}  // namespace

// An entry is within `tries` of the position of its hash. Entries between may be free, so that all are searched.
Pending* add_pending(std::uint64_t request) {
  std::size_t at = mixed(request);
  for (std::size_t i = 0; i < tries; ++i) {
    Pending& place = table[(at + i) % pending_capacity];
    if (place.request != 0 && place.request != request) continue;
    place = {};
    place.request = request;
    return &place;
  }
  return nullptr;
}

Pending* pending_of(std::uint64_t request) {
  std::size_t at = mixed(request);
  for (std::size_t i = 0; i < tries; ++i) {
    Pending& place = table[(at + i) % pending_capacity];
    if (place.request == request) return &place;
  }
  return nullptr;
}

void remove(Pending* pending) { pending->request = 0; }

std::uint64_t next_message(std::uint64_t communicator, int source, int dest, int tag) {
  const std::uint64_t ends =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32) | static_cast<std::uint32_t>(dest);
  const std::uint64_t id = mixed(mixed(communicator, ends), static_cast<std::uint64_t>(tag)) | 1;
  for (std::size_t i = 0; i < tries; ++i) {
    Channel& channel = channels[(id + i) % channel_capacity];
    if (channel.id != 0 && channel.id != id) continue;
    channel.id = id;
    return mixed(id, ++channel.messages) | 1;
  }
  return 0;
}

}  // namespace seiche::profile
