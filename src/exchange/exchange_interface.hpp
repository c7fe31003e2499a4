// SPDX-License-Identifier: BSD-3-Clause
/// \file  The interface of an exchange between the two ends of a route: start, poll, finish.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "layout/route.hpp"
#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "space/memory.hpp"
#include "space/queue.hpp"

namespace seiche {

/// Direction of an exchange.
enum class Toward { target, source };

/// `release` transfers ownership of the buffer without data.
enum class Payload { values, release };

/// Location of a rank's target elements that another rank has at its source.
struct TargetPatch {
  std::byte* data = nullptr;
  Patch patch;  ///< counts and strides; `data` includes the offset
};

/// Values on a route, with memory at both ends. They are at one end at a time, initially at the source. A call of
/// start() and finish() moves them to the other end. All ranks of the communicator make these calls in the same order.
/// Only the memory at the current end may be accessed. Several exchanges on one route may be in flight.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual std::byte* source() = 0;           ///< this rank's source memory, of this part of the route
  virtual TargetPatch target(int rank) = 0;  ///< this rank's target elements that `rank` has at its source
  /// Prepares the values for start(), e.g. copies them to the host. Otherwise start() does it and waits. With several
  /// exchanges in flight, call prepare() first, and start() after the event. Call it once for each start().
  virtual Event prepare(Toward, Payload) { return {}; }
  virtual void start(Toward toward, Payload payload) = 0;  ///< Collective.
  /// Tells whether start() only adds copies to the queue of the request. Then it need not wait for events of this
  /// queue.
  virtual bool in_queue() const { return false; }
  /// Tells whether start() calls a collective operation of MPI. Then all ranks must make this call and their other
  /// collective calls in the same order.
  virtual bool ordered() const { return false; }
  virtual bool poll() = 0;  ///< Makes progress. Returns true if finish() would not wait. Never blocks.
  /// Waits until the values have arrived. Has no effect if none are in flight. Kernels that are added to the queue of
  /// the request afterwards see the values.
  virtual void finish() = 0;
};

/// Memory of the target.
enum class TargetMemory {
  own,       ///< memory of this rank with the layout of the route
  zero_copy  ///< the source memory of this rank, and of other ranks if memory is shared
};

struct ExchangeRequest {
  Algorithm algorithm = Algorithm::automatic;
  std::size_t element = 16;  ///< bytes of an element
  TargetMemory target_memory = TargetMemory::zero_copy;
  bool rounded = false;      ///< elements consist of doubles, which are sent as floats
  Queue queue{};             ///< queue of the space of both ends
  bool from_device = false;  ///< MPI accesses messages in memory of the device, set by in_space()
};

/// Memory at both ends of exchanges. The caller owns it.
struct ExchangeMemory {
  Memory source{}, target{};
  Memory sent_source{}, sent_target{};  ///< messages of staged exchanges
};

/// Collective. Returns a request for the space of its queue. On a device, it replaces an algorithm that would copy
/// values through the host without need or that the device does not support, and requests targets with their own
/// memory. Messages stay on the device if the algorithm and MPI of all ranks support it.
ExchangeRequest in_space(ExchangeRequest request, const Communicator& comm);

/// Tells whether an algorithm supports a memory space. Data in other spaces are staged: kernels copy them to messages
/// in other memory. They need TargetMemory::own.
bool moves(Algorithm algorithm, Space space);

/// Returns the memory from which ranks send messages: "host", "device", or "none" without messages. `request`: result
/// of in_space()
std::string_view place_of_messages(const Communicator& comm, const ExchangeRequest& request);

/// Collective. Allocates memory for exchanges whose routes are parts of one route. They share the memory at each end,
/// so that all parts must have the same sizes. Memory of earlier exchanges is reused if it is large enough; then it is
/// not cleared. \pre no exchange in `earlier` is in flight on any rank
ExchangeMemory memory_for(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request,
                          Fresh fresh, const ExchangeMemory& earlier = {});

/// Collective. Creates exchanges on parts of one route, which may be in flight at the same time. `memory` is the result
/// of memory_for() for the same arguments.
std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request, const ExchangeMemory& memory);

/// Collective. Creates one exchange with its own memory.
std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request,
                                        Fresh fresh = Fresh::zero);

/// Collective. Moves bytes once on a route, with point-to-point messages. `route` returns it on this rank, in bytes.
/// `fill` writes the source, and `take` reads the target. \throws the error of any of them on all ranks
void pass_once(const Communicator& comm, const std::function<Route()>& route,
               const std::function<void(std::byte*)>& fill, const std::function<void(const std::byte*)>& take);

/// Collective. Returns the bytes that memory_for() and make_exchanges() allocate on this rank, including its part of
/// shared memory.
std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request);

/// Collective. Returns the algorithm that is used on these ranks. \throws Error if they cannot use it
Algorithm resolved_algorithm(const Communicator& comm, Algorithm wanted);

}  // namespace seiche
