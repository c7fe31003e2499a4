// SPDX-License-Identifier: BSD-3-Clause
#include "space/peer_memory.hpp"

#include <optional>

#include "comm/agree.hpp"
#include "comm/communicator_body.hpp"
#include "space/shared_window.hpp"

namespace seiche {

namespace {

struct PeerMemory : KeptOnCommunicator {
  std::optional<bool> available;
};

/// Collective. Tries to share a small array. All ranks succeed, or all fail.
bool tried(const Communicator& comm) {
  constexpr std::size_t bytes = 256;
  return !fault_of([&] { SharedWindow(comm, {bytes, bytes}, 0, Space::cuda); });
}

}  // namespace

bool peer_memory(const Communicator& comm) {
  auto& known = kept_on<PeerMemory>(comm).available;
  if (!known) known = comm.on_one_node() && tried(comm);
  return *known;
}

}  // namespace seiche
