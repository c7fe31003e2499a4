// SPDX-License-Identifier: BSD-3-Clause
/// \file  How the bytes of exchanges are moved between ranks, and what all that exchange can be asked for alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace seiche {

/// An exchange algorithm. All move the same values; docs/exchange.md says when each is best.
enum class Algorithm {
  automatic = 0,   ///< shared where all ranks share one memory, else pairwise
  alltoallv = 1,   ///< one collective with each rank's true counts
  alltoall = 2,    ///< one collective with all counts padded to the largest
  ialltoallv = 3,  ///< alltoallv that returns at once and is driven while others work
  pairwise = 6,    ///< point-to-point messages in pieces on a fixed schedule, a bounded number in flight
  two_level = 8,   ///< inside nodes through shared memory, between nodes one message for each pair of nodes
  shared = 9,      ///< the ranks of one node read and write each other's memory; nothing is packed or sent
  local = 10       ///< nothing travels: where every rank keeps what it has, as on one rank; both ends are one memory
};

std::span<const Algorithm> all_algorithms();       ///< every algorithm but `automatic`
std::string_view name_of(Algorithm algorithm);     ///< "alltoallv", ...
Algorithm algorithm_named(std::string_view name);  ///< \throws Error for an unknown name, listing the known ones

/// Who drives what is under way while a rank computes.
enum class Progress {
  automatic,  ///< poll
  poll,       ///< the computing thread, between tiles of work, at a rate that follows what polls achieve
  thread,     ///< a thread of its own, which waits while a user's function runs; MPI must have been started with
              ///< MPI_THREAD_SERIALIZED or more
  none        ///< nobody but MPI itself
};

/// How communication goes on: in the options of FFTs, products and moves alike. Alike on all ranks, but
/// for how large a limit of memory is.
struct Policy {
  Algorithm algorithm = Algorithm::automatic;  ///< who moves data between ranks
  Progress progress = Progress::automatic;     ///< who drives exchanges while a rank computes
  /// Items (bands, panels, rounds) in memory at once: one is worked on, others are on their way. 0: by rule. Chunks of
  /// a dense transform are all under way, in memory of its own.
  int window = 0;
  /// Bytes that this rank may take for it, besides what the caller gave. 0: no limit, or, of moves, about 64 MB. Bands
  /// of FFTs and rounds of moves become fewer or smaller to fit; what cannot fit is refused on all ranks.
  std::int64_t memory = 0;
};

/// What became of a rank's time in a plan's calls, all of them together.
struct ProgressReport {
  double worked = 0;       ///< seconds of computing, polls among it included
  double waited = 0;       ///< seconds in which nothing was left to do but to wait for arrivals
  std::int64_t polls = 0;  ///< while computing
  std::int64_t moves = 0;  ///< polls that moved something
  double skew = 0;         ///< seconds by which ranks came apart to the last dozens of calls on the communicator
};

std::string_view name_of(Progress progress);     ///< "poll", ...
Progress progress_named(std::string_view name);  ///< \throws Error for an unknown name, listing the known ones

}  // namespace seiche
