// SPDX-License-Identifier: BSD-3-Clause
/// \file  The contract of an exchange: values pass between their source and target; start, poll, finish.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "layout/route.hpp"
#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"

namespace seiche {

/// To which end of the route the values go.
enum class Toward { target, source };

/// `nothing` hands the other end over without its values: to fill it anew.
enum class Payload { values, release };

/// Where a rank finds the target elements that another rank has at its source.
struct TargetPatch {
  std::byte* data = nullptr;
  Patch patch;  ///< counts and strides; the offset is already in `data`
};

/// One set of values on a route, with the memory of both ends. The values are at one end at a time (near at first), and
/// go to the other by start() ... finish(), on all ranks of the communicator in the same order; only the end where they
/// are may be touched. Several exchanges over one route may be under way at once.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual std::byte* source() = 0;           ///< this rank's source memory; of a part of a route, the part's own
  virtual TargetPatch target(int rank) = 0;  ///< this rank's target elements that `rank` has at its source
  virtual void start(Toward toward, Payload payload) = 0;  ///< Collective.
  virtual bool poll() = 0;    ///< Drives progress; true once finish() would not wait. Cheap, never waits.
  virtual void finish() = 0;  ///< Waits until the values have arrived. Does nothing when none are under way.
};

/// What the target of an exchange should be.
enum class TargetMemory {
  own,       ///< memory of this rank, laid out as the route says
  zero_copy  ///< wherever the values are: what stays on a rank in its source memory, and, where a way can lend it,
             ///< what others have in theirs
};

struct ExchangeRequest {
  Algorithm algorithm = Algorithm::automatic;
  std::size_t element = 16;  ///< bytes of one element
  TargetMemory target_memory = TargetMemory::zero_copy;
  bool rounded = false;  ///< elements consist of doubles, which travel between ranks in single precision
  bool cleared = true;   ///< memory at both ends is zero, and its pages are there; else they come when they are used
};

/// Collective.
std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request);

/// Collective. Exchanges whose routes are parts of one route: they have the same memory at each end, of the sizes that
/// all the routes must give alike, and may be under way at the same time.
std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request);

/// What exchanges had as memory at their ends, for later ones.
struct ExchangeMemory;

/// Collective. The same in memory that earlier exchanges of these ranks had, where it is large enough, else in more,
/// which takes its place. It is not cleared. \pre no earlier exchange in it is under way on any rank
std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request,
                                                      std::shared_ptr<ExchangeMemory>& memory);

/// Collective. Bytes that make_exchanges() with the same arguments takes of this rank's memory; of memory that ranks
/// share, its part.
std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request);

/// Collective. The way that `automatic` stands for on these ranks. \throws Error for a way these ranks cannot use
Algorithm resolved_algorithm(const Communicator& comm, Algorithm wanted);

}  // namespace seiche
