// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exchange algorithms and communication settings. All functions are local.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "seiche/cxx20.hpp"

namespace seiche {

/// Exchange algorithm. All algorithms give the same result.
enum class Algorithm {
  automatic = 0,   ///< `shared` if all ranks are on one node, else `pairwise`
  alltoallv = 1,   ///< one MPI_Alltoallv with the actual counts
  alltoall = 2,    ///< one MPI_Alltoall with all counts padded to the largest
  ialltoallv = 3,  ///< non-blocking MPI_Ialltoallv, progressed during computation
  pairwise = 6,    ///< point-to-point messages in pieces on a fixed schedule, with a bounded number in flight
  two_level = 8,   ///< shared memory inside nodes, one message per pair of nodes
  shared = 9,      ///< ranks of one node access each other's memory directly, without packing and messages
  local = 10       ///< no data moves between ranks; source and target share one memory
};

std::span<const Algorithm> all_algorithms();    ///< Returns all algorithms except `automatic`.
std::string_view name_of(Algorithm algorithm);  ///< Returns the name of an algorithm, e.g. "alltoallv".
/// Returns the algorithm with a given name. \throws Error for an unknown name; the message lists the known ones
Algorithm algorithm_named(std::string_view name);

/// Thread that makes MPI progress while a rank computes.
enum class Progress {
  automatic,  ///< same as `poll`
  poll,       ///< the computing thread, between tiles of work, at an adaptive rate
  thread,     ///< a separate thread, which pauses during callbacks; requires MPI_THREAD_SERIALIZED
  none        ///< the MPI library only
};

/// Communication settings shared by FFTs, products and redistribution. The options of each object tell which members
/// may differ between ranks.
struct Policy {
  Algorithm algorithm = Algorithm::automatic;  ///< exchange algorithm
  Progress progress = Progress::automatic;     ///< thread that makes MPI progress
  /// Number of items (bands, panels, rounds) in memory (0: automatic). One is computed while the others are exchanged.
  /// Chunks of a dense transform do not count: all are in flight.
  int window = 0;
  /// Upper limit of memory on this rank in bytes, without the caller's arrays (0: no limit; about 64 MB for
  /// redistribution). FFTs and redistribution reduce the number of bands in flight to fit. If that is not sufficient,
  /// all ranks throw an Error.
  std::int64_t memory = 0;
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// Use of a rank's time, summed over all calls of a plan.
struct ProgressReport {
  double worked = 0;       ///< seconds of computation, including polls
  double waited = 0;       ///< seconds of waiting for data, with nothing left to compute
  std::int64_t polls = 0;  ///< number of polls during computation
  std::int64_t moves = 0;  ///< number of polls that made progress
  double skew = 0;         ///< spread of the ranks' arrival times in recent calls on the communicator, seconds
};

std::string_view name_of(Progress progress);  ///< Returns the name of a progress mode, e.g. "poll".
/// Returns the progress mode with a given name. \throws Error for an unknown name; the message lists the known ones
Progress progress_named(std::string_view name);

}  // namespace seiche
