// SPDX-License-Identifier: BSD-3-Clause
/// \file  The contract of a wire: moves one contiguous message between each pair of ranks. One file per kind.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// One message to or from each rank, in elements of one buffer.
struct Messages {
  std::byte* buffer = nullptr;
  std::vector<std::int64_t> offset, count;
};

/// Moves messages between two ends, whose buffers stay where they are.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void start(const Messages& from, const Messages& into) = 0;
  virtual bool poll() = 0;
  virtual void finish() = 0;
};

enum class Pace { blocking, nonblocking, persistent };

std::unique_ptr<Transport> make_alltoallv(const Communicator& comm, std::size_t element, Pace pace);
/// All counts must be equal on all ranks, and buffers laid out in equal parts.
std::unique_ptr<Transport> make_alltoall(const Communicator& comm, std::size_t element, Pace pace);
/// Collective. For the messages of these two ends.
std::unique_ptr<Transport> make_two_level(const Communicator& comm, std::size_t element, const Messages& source,
                                          const Messages& target);
/// Collective. For the messages of these two ends: start() puts, finish() waits until all have put.
std::unique_ptr<Transport> make_put(const Communicator& comm, std::size_t element, const Messages& source,
                                    const Messages& target);

}  // namespace seiche
