// SPDX-License-Identifier: BSD-3-Clause
/// \file  The interface of a transport: moves one contiguous message between each pair of ranks. One file per kind.
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

/// Collective. Makes a transport for the messages of these two ends, in elements of so many bytes.
using MakeTransport = std::unique_ptr<Transport>(const Communicator& comm, std::size_t element, const Messages& source,
                                                 const Messages& target);
MakeTransport make_alltoallv, make_ialltoallv, make_two_level;
/// All counts must be equal on all ranks, and buffers laid out in equal parts.
MakeTransport make_alltoall;

}  // namespace seiche
