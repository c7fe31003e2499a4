// SPDX-License-Identifier: BSD-3-Clause
/// \file  What overlap achieved: the same work blocking and overlapped, its computing alone and its exchanges alone,
/// and the bound that no overlap can pass.
#pragma once

#include <mpi.h>

#include <functional>

#include "seiche/exchange.hpp"

namespace seiche::command {

/// Why ranks waited, in seconds of one unit of work, the mean of all ranks. An exchange cannot end before its last rank
/// has started it, and then takes what it takes alone, after those that were under way before it.
struct Waits {
  double late_partner = 0;  ///< until the last rank had started the exchange
  double transport = 0;     ///< then, until it could have been there
  double progress = 0;      ///< what remains: nobody drove it in time
};

/// Seconds of one unit of work, the slowest rank's median; exchange_cpu is CPU seconds per rank.
struct Overlap {
  double compute_only = 0;   ///< the stages' work of the blocking run
  double exchange_only = 0;  ///< everything moved, nothing computed
  double exchange_cpu = 0;   ///< of all CPUs, kernel included, shared among the machine's ranks
  double blocking = 0, overlapped = 0;
  double waited = 0;  ///< of the overlapped run: with nothing left to compute
  Waits waits;        ///< the same in one more run
  double polls = 0, moves = 0;
  double ranks_per_core = 1;  ///< of this machine, 1 where there are cores for all

  double bound() const;  ///< max(exchange_only, compute_only + exchange_cpu)
  double ratio() const;  ///< overlapped / bound
  /// The same where ranks share cores: then computing takes the longer for it already, and the CPU seconds of exchanges
  /// take each rank as much longer. max(exchange_only, compute_only + ranks_per_core * exchange_cpu)
  double core_bound() const;
  double hidden() const;  ///< (blocking - overlapped) / (blocking - bound)
};

/// One way to do the work: all of it, and its exchanges alone.
struct Runnable {
  std::function<void()> all;
  std::function<void(bool asleep)> exchange_only;
  std::function<ProgressReport()> progress;
};

/// Collective. Runs both `repeats` times in turn. `units`: of work in one call.
Overlap measure_overlap(MPI_Comm comm, int repeats, double units, const Runnable& blocking, const Runnable& overlapped);

}  // namespace seiche::command
