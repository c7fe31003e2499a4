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
  std::vector<std::int64_t> offset, count;
};

class Wire {
 public:
  virtual ~Wire() = default;
  virtual void start(const std::byte* from, const Messages& send, std::byte* into, const Messages& receive) = 0;
  virtual bool poll() = 0;
  virtual void finish() = 0;
  /// True when every message must have the same count: buffers are then laid out in equal parts of `count` elements.
  virtual bool padded() const { return false; }
};

std::unique_ptr<Wire> make_alltoallv(const Communicator& comm, std::size_t element);
/// All counts must be equal on all ranks.
std::unique_ptr<Wire> make_alltoall(const Communicator& comm, std::size_t element);
/// Point-to-point messages, to the next rank first, to the previous last, at most `in_flight` each way at a time; each
/// split into pieces below MPI's count limit.
std::unique_ptr<Wire> make_pairwise(const Communicator& comm, std::size_t element, int in_flight);

}  // namespace seiche
