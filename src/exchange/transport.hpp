// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interface of a transport: one contiguous message per pair of ranks. Each kind has its own file.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "seiche/communicator.hpp"

namespace seiche {

/// One message to or from each rank, in one buffer. Counts and offsets are in elements.
struct Messages {
  std::byte* buffer = nullptr;
  std::vector<std::int64_t> offset, count;
};

/// Sends messages between two ends, whose buffers have fixed addresses.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void start(const Messages& from, const Messages& into) = 0;
  virtual bool ordered() const { return false; }  ///< whether start() calls a collective operation of MPI
  virtual bool poll() = 0;
  virtual void finish() = 0;
};

/// Collective. Creates a transport for the messages of two ends. `element`: bytes of an element.
using MakeTransport = std::unique_ptr<Transport>(const Communicator& comm, std::size_t element, const Messages& source,
                                                 const Messages& target);
MakeTransport make_alltoallv, make_ialltoallv, make_two_level;
/// All counts must be equal on all ranks, with contiguous parts of equal size in the buffers.
MakeTransport make_alltoall;

}  // namespace seiche
