// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pending operations by request, in a table of fixed size. Operations without an entry are not recorded.
#pragma once

#include <cstdint>

#include "record.hpp"

namespace seiche::profile {

struct Pending {
  std::uint64_t request = 0;  ///< 0: free
  Event event{};
  std::int64_t calls_before = 0;
  std::uint64_t communicator = 0;  ///< id, for messages whose partner or tag is unknown yet
  int source = 0, tag = 0, my_rank = 0;
  bool persistent = false, active = false, open = false;  ///< open: the key is computed at completion, from the status
};

Pending* add_pending(std::uint64_t request);
Pending* pending_of(std::uint64_t request);
void remove(Pending* pending);

/// Returns the key of the next message between two ranks of a communicator; messages do not overtake each other.
std::uint64_t next_message(std::uint64_t communicator, int source, int dest, int tag);

}  // namespace seiche::profile
