// SPDX-License-Identifier: BSD-3-Clause
/// \file  Carries bands of many k-points from one set of holdings to another, in rounds of bounded size: between ranks,
/// and between ranks and files. Routes are made once; they do not depend on the band.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

/// What one rank holds of one spin and k-point. Its waves are counted in the order of these runs of positions.
struct Holding {
  Range bands;
  std::vector<Range> runs;
  std::int64_t waves() const;
  bool empty() const { return bands.empty() || runs.empty(); }
};

/// One spin and k-point on its way: who holds it before and after, by rank.
struct MoveTask {
  int spin = 0, k = 0;
  std::int64_t components = 1;
  std::vector<Holding> from, to;
};

/// Waves in a row on both sides.
struct Fragment {
  std::int64_t first = 0;  ///< among this rank's waves
  std::int64_t count = 0;
};

/// What one pair of ranks shares of one task.
struct RankBlock {
  std::size_t task = 0;
  Range bands;
  std::vector<Fragment> fragments;
  std::int64_t waves = 0;
};

/// Some bands of a block, in memory: [band][component][wave, fragment by fragment].
struct BlockPart {
  const RankBlock* rank_block = nullptr;
  Range bands;
  std::complex<double>* data = nullptr;
};

/// One end of the way. start() may leave work to the background until finish() of the same slot, in the same order.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual void start(int slot,
                     const std::vector<BlockPart>& block_parts) = 0;  ///< fills the loads, or takes what they hold
  virtual void finish(int slot) = 0;
  /// Whether the same bands of all tasks lie beside each other there, so that they are best taken together.
  virtual bool k_interleaved() const { return false; }
  virtual void drain() noexcept {}  ///< Until nothing is left in the background, whatever went wrong.
};

/// Collective. Moves all tasks from `near` to `far`. What a endpoint throws on one rank is thrown on all, at the end.
void carry(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
           const MoveOptions& options);

/// Takes what has arrived of some tasks, on all ranks of the communicator: those with nothing to take are called too.
using Use = std::function<void(const std::vector<std::size_t>& tasks, const std::vector<BlockPart>& block_parts)>;

/// Collective. Moves all tasks from `source`, in their order, to a function that is called on all ranks for the same
/// tasks in the same order, and so may be collective itself; further bands are read and sent meanwhile. Each task comes
/// whole: on no rank has it more than one band at its source. What the source, the function or options.on_progress
/// throw on one rank is thrown on all, at the end; what arrives there until then is void. A function that is collective
/// throws on all ranks or on none; it is not called again.
void deliver(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, const Use& use,
             const MoveOptions& options);

}  // namespace seiche
