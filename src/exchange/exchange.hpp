// SPDX-License-Identifier: BSD-3-Clause
/// \file  The interface of an exchange: values pass between its source and target; start, poll, finish.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "layout/route.hpp"
#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "space/memory.hpp"
#include "space/queue.hpp"

namespace seiche {

/// To which end of the route the values go.
enum class Toward { target, source };

/// `release` hands the other end over without its values, to be filled anew.
enum class Payload { values, release };

/// Where a rank finds the target elements that another rank has at its source.
struct TargetPatch {
  std::byte* data = nullptr;
  Patch patch;  ///< counts and strides; the offset is already in `data`
};

/// One set of values on a route, in memory at both ends. The values are at one end at a time (the source at first), and
/// go to the other by start() ... finish(), on all ranks of the communicator in the same order. Only the end where they
/// are may be touched. Several exchanges over one route may be under way at once.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual std::byte* source() = 0;           ///< this rank's source memory; of a part of a route, the part's own
  virtual TargetPatch target(int rank) = 0;  ///< this rank's target elements that `rank` has at its source
  /// Brings values to where start() sends them from. start() waits for this itself where the caller has not: who has
  /// several exchanges under way calls prepare() first, and start() after the event. Once for each start().
  virtual Event prepare(Toward, Payload) { return {}; }
  virtual void start(Toward toward, Payload payload) = 0;  ///< Collective.
  virtual bool poll() = 0;  ///< Drives progress; true once finish() would not wait. Cheap, never waits.
  /// Waits until the values have arrived. Does nothing when none are under way. Kernels that enter the queue of the
  /// request afterwards find the values.
  virtual void finish() = 0;
};

/// What the target of an exchange should be.
enum class TargetMemory {
  own,       ///< memory of this rank, laid out as the route says
  zero_copy  ///< wherever the values are: what stays on a rank in its source memory, and, where ranks share memory,
             ///< what others have in theirs
};

struct ExchangeRequest {
  Algorithm algorithm = Algorithm::automatic;
  std::size_t element = 16;  ///< bytes of one element
  TargetMemory target_memory = TargetMemory::zero_copy;
  bool rounded = false;  ///< elements consist of doubles, which travel between ranks in single precision
  Queue queue{};         ///< of the space that has the memory of both ends
};

/// The memory at both ends of exchanges, which the one who makes them holds.
struct ExchangeMemory {
  Memory source{}, target{};
  Memory host_source{}, host_target{};  ///< copies of both on the host, where values travel through it
};

/// Returns whether an algorithm moves values of this space itself. Values of other spaces travel through the host, and
/// need targets of their own.
bool moves(Algorithm algorithm, Space space);

/// Collective. Memory for exchanges whose routes are parts of one route: they have the same memory at each end, of the
/// sizes that all the routes must give alike. It is that of earlier exchanges where that is large enough; it is not
/// cleared then. \pre no exchange in `earlier` is under way on any rank
ExchangeMemory memory_for(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request,
                          Fresh fresh, const ExchangeMemory& earlier = {});

/// Collective. Exchanges on parts of one route, which may be under way at the same time. `memory` is what memory_for()
/// gave for the same arguments.
std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request, const ExchangeMemory& memory);

/// Collective. One exchange in memory of its own.
std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request,
                                        Fresh fresh = Fresh::zero);

/// Collective. Bytes of this rank's memory that memory_for() and make_exchanges() take; of shared memory, its part.
std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request);

/// Collective. The algorithm that `automatic` stands for on these ranks. \throws Error for one that they cannot use
Algorithm resolved_algorithm(const Communicator& comm, Algorithm wanted);

}  // namespace seiche
