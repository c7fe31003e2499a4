// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the library keeps with a communicator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "comm/arrival_skew.hpp"
#include "comm/handle.hpp"
#include "comm/plan_cache.hpp"

namespace seiche {

/// The largest tag of messages that this MPI offers, the same on all ranks.
int largest_tag();

struct Communicator::Body {
  explicit Body(MPI_Comm raw);
  /// A message tag for one user of point-to-point messages. Called by all ranks in the same order, it is the same on
  /// all. It comes again only after largest_tag() others.
  int fresh_tag();

  CommunicatorHandle handle;
  int rank = 0, size = 1;
  std::map<std::vector<std::int64_t>, std::shared_ptr<Body>> splits;  ///< by everyone's colour
  std::map<int, std::shared_ptr<Body>> node;                          ///< by ranks_per_node()
  int last_tag = 0;
  std::int64_t last_number = 0;  ///< of fresh_number()
  std::int64_t closes = 0;       ///< that this rank has passed, where closes are watched
  /// By rank: the number that it has come to close, by how many closes it had passed.
  std::vector<std::map<std::int64_t, std::int64_t>> arrived;
  ArrivalSkew arrivals;  ///< how far apart ranks come to plans' calls here
  /// What is kept for reuse. It holds this communicator in turn, so it has to be cleared when the caller's is freed.
  PlanCache plan_cache;
};

}  // namespace seiche
