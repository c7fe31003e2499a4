// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures overlap: the same work blocking and overlapped, its computation alone, its exchanges alone, and the
/// lower bound of the time.
#pragma once

#include <mpi.h>

#include <functional>

#include "seiche/exchange.hpp"

namespace seiche::command {

/// Waiting time by cause, in seconds of one unit of work, averaged over the ranks. An exchange cannot end before its
/// last rank has started it; from then on it takes its time alone, after the exchanges started before it.
struct Waits {
  double late_partner = 0;  ///< until the last rank had started the exchange
  double transport = 0;     ///< from then until the earliest end of the exchange
  double progress = 0;      ///< the remainder: MPI made no progress
};

/// Seconds of one unit of work, medians of the slowest rank; exchange_cpu is CPU seconds per rank.
struct Overlap {
  double compute_only = 0;   ///< computation of the stages in the blocking run
  double exchange_only = 0;  ///< all exchanges, no computation
  double exchange_cpu = 0;   ///< CPU time of all processors, kernel included, divided by the ranks of the machine
  double blocking = 0, overlapped = 0;
  double waited = 0;  ///< time without computation in the overlapped run
  Waits waits;        ///< the same by cause, from another run
  double polls = 0, moves = 0;
  double ranks_per_core = 1;  ///< of this machine; 1 with a core per rank

  double bound() const;  ///< max(exchange_only, compute_only + exchange_cpu)
  double ratio() const;  ///< overlapped / bound
  /// The bound for ranks that share cores. The computation time already includes the sharing, and the CPU seconds of
  /// exchanges are multiplied by the number of ranks per core. max(exchange_only, compute_only + ranks_per_core *
  /// exchange_cpu)
  double core_bound() const;
  double hidden() const;  ///< (blocking - overlapped) / (blocking - bound)
};

/// The work with given settings: all of it, and its exchanges alone.
struct Runnable {
  std::function<void()> all;
  std::function<void(bool asleep)> exchange_only;
  std::function<ProgressReport()> progress;
};

/// Collective. Runs both alternately, `repeats` times. `units`: units of work in one call.
Overlap measure_overlap(MPI_Comm comm, int repeats, double units, const Runnable& blocking, const Runnable& overlapped);

}  // namespace seiche::command
