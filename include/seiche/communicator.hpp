// SPDX-License-Identifier: BSD-3-Clause
/// \file  A group of processes that talk to each other: always the library's own duplicate of the caller's.
#pragma once

#include <mpi.h>

#include <memory>

namespace seiche {

class ArrivalSkew;
class PlanCache;

/// A communicator that the library owns. Copies share it. Duplicates and splits are cached on the caller's
/// communicator, and freed with it: any number of plans makes one duplicate and one of each different split.
class Communicator {
 public:
  /// Collective over `theirs`, which stays the caller's.
  static Communicator duplicate(MPI_Comm theirs);

  /// Collective. Ranks with the same `color` form a group, ordered by rank. Cached: the same split made again costs
  /// one small reduction and makes no communicator.
  Communicator split(int color) const;
  /// Collective. The ranks that share this rank's memory (one node).
  Communicator node() const;
  /// Collective. Whether that is all ranks.
  bool on_one_node() const { return node().size() == size(); }

  PlanCache& plan_cache() const;      ///< what is kept here for reuse
  ArrivalSkew& arrival_skew() const;  ///< how far apart ranks come to plans' calls here

  int rank() const noexcept;
  int size() const noexcept;
  MPI_Comm get() const noexcept;  ///< For MPI calls; never free it.
  /// A message tag for one user of point-to-point messages. Called by all ranks in the same order, it is the same on
  /// all.
  int fresh_tag() const;

 private:
  struct Body;
  explicit Communicator(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace seiche
