// SPDX-License-Identifier: BSD-3-Clause
/// \file  Moves bands of many k-points from one set of holdings to another, in rounds of bounded size. The source and
/// the target are in memory or in files. Routes are created once and do not depend on the band.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

/// The bands and waves of one spin and k-point that a rank holds. Its waves are numbered in the order of `runs`.
struct Holding {
  Range bands;
  std::vector<Range> runs;
  std::int64_t waves() const;
  bool empty() const { return bands.empty() || runs.empty(); }
};

/// One spin and k-point to move, with the holdings of each rank before and after.
struct MoveTask {
  int spin = 0, k = 0;
  std::int64_t components = 1;
  std::vector<Holding> from, to;
};

/// Waves that are consecutive in the source and in the target.
struct Fragment {
  std::int64_t first = 0;  ///< index among this rank's waves
  std::int64_t count = 0;
};

/// The bands and waves of one task that a pair of ranks shares.
struct RankBlock {
  std::size_t task = 0;
  Range bands;
  std::vector<Fragment> fragments;
  std::int64_t waves = 0;
};

/// Some bands of a block in memory: [band][component][wave]. The waves are stored fragment after fragment.
struct BlockPart {
  const RankBlock* rank_block = nullptr;
  Range bands;
  std::complex<double>* data = nullptr;
};

/// Source or target of a redistribution. start() may leave work in the background until finish() of the same slot. Both
/// are called in the same order of slots.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual void start(int slot,
                     const std::vector<BlockPart>& block_parts) = 0;  ///< fills the blocks, or reads them
  virtual void finish(int slot) = 0;
  virtual bool ready(int /*slot*/) { return true; }  ///< Tells whether finish() would not wait.
  /// Returns whether the endpoint stores bands of equal number of all tasks next to each other. Such tasks are best
  /// moved together.
  virtual bool k_interleaved() const { return false; }
  /// Returns the best size of a round in bytes. Files are fast with large pieces. It is equal on all ranks.
  virtual std::int64_t bytes_of_round() const { return std::int64_t{4} << 20; }
  virtual void drain() noexcept {}  ///< Waits until no work is left in the background, also after an error.
};

/// Moves all tasks from `source` to `target`, in steps. An error of an endpoint on one rank is thrown on all ranks, at
/// the end. Without complete(), the destructor is collective and completes the exchanges of the first tasks.
class Carrier {
 public:
  /// Collective. The arguments must outlive it.
  Carrier(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
          const MoveOptions& options);
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  /// Collective. Starts to move the tasks of the first route. `waits`: waits until the target has the first rounds,
  /// which its threads store meanwhile.
  void begin(bool waits = false);
  /// Local. Makes progress without waiting. Returns true if complete() would not wait for these tasks.
  bool progress();
  /// Collective. Moves all tasks.
  void complete();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

/// Collective. Moves all tasks in one call.
void carry(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
           const MoveOptions& options);

/// Receives the blocks of some tasks. It is called on all ranks of the communicator, also on ranks without blocks.
using Use = std::function<void(const std::vector<std::size_t>& tasks, const std::vector<BlockPart>& block_parts)>;

/// Collective. Moves all tasks from `source`, in their order, to the function `use`. It is called on all ranks for the
/// same tasks in the same order, so it may be collective. Further bands are read and sent meanwhile. Each task must
/// have at most one band per rank at its source, so that it arrives in one round.
///
/// An error of the source, of `use` or of options.on_progress on one rank is thrown on all ranks, at the end.
/// Coefficients that arrive on this rank after the error are invalid. A collective function must throw on all ranks or
/// on none. A function that has thrown is not called again.
void deliver(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, const Use& use,
             const MoveOptions& options);

}  // namespace seiche
