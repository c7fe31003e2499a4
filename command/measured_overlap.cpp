// SPDX-License-Identifier: BSD-3-Clause
#include "measured_overlap.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "bench_report.hpp"
#include "kernel.hpp"
#include "seiche/trace.hpp"

namespace seiche::command {

namespace {

double timed(MPI_Comm comm, const std::function<void()>& work) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  work();
  return largest(comm, MPI_Wtime() - start);
}

/// Returns the offset of the steady clock of rank 0 from the clock of this rank, from the message with the shortest
/// round trip (Cristian 1989).
double ahead(MPI_Comm comm) {
  constexpr int questions = 20;
  const auto clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double result = 0, quickest = 1e300, theirs = 0;
  for (int other = 1; other < size; ++other) {
    for (int q = 0; q < questions; ++q) {
      if (rank == 0) {
        MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, comm, MPI_STATUS_IGNORE);
        const double now = clock();
        MPI_Send(&now, 1, MPI_DOUBLE, other, 0, comm);
      } else if (rank == other) {
        const double asked = clock();
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, comm);
        MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
        const double answered = clock();
        if (answered - asked >= quickest) continue;
        quickest = answered - asked;
        result = theirs - 0.5 * (asked + answered);
      }
    }
  }
  return result;
}

/// Collective. Divides the waiting time of a run by cause. `alone`: seconds of all exchanges without other work.
Waits split_waits(MPI_Comm comm, const std::vector<timeline::Transfer>& transfers, double alone) {
  const double offset = ahead(comm);
  std::vector<double> last_start;
  for (const auto& transfer : transfers) last_start.push_back(transfer.started + offset);
  MPI_Allreduce(MPI_IN_PLACE, last_start.data(), static_cast<int>(last_start.size()), MPI_DOUBLE, MPI_MAX, comm);
  const double each = alone / std::max(1.0, static_cast<double>(transfers.size()));
  double there = 0;  // the earliest end of the previous exchange
  std::array<double, 3> sums{};
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double needed = transfers[i].needed + offset, arrived = transfers[i].arrived + offset;
    there = std::max(there, last_start[i]) + each;
    const double started = std::clamp(last_start[i], needed, arrived), could = std::clamp(there, started, arrived);
    sums[0] += started - needed;
    sums[1] += could - started;
    sums[2] += arrived - could;
  }
  int size = 1;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, comm);
  return {sums[0] / size, sums[1] / size, sums[2] / size};
}

}  // namespace

double Overlap::bound() const { return std::max(exchange_only, compute_only + exchange_cpu); }
double Overlap::core_bound() const { return std::max(exchange_only, compute_only + ranks_per_core * exchange_cpu); }
double Overlap::ratio() const { return overlapped / bound(); }
double Overlap::hidden() const { return blocking > bound() ? (blocking - overlapped) / (blocking - bound()) : 0; }

Overlap measure_overlap(MPI_Comm comm, int repeats, double units, const Runnable& blocking,
                        const Runnable& overlapped) {
  for (const Runnable* one : {&blocking, &overlapped}) one->all(), one->exchange_only(false);
  std::vector<double> all_blocking, all_overlapped, all_exchange, worked;
  const ProgressReport before = overlapped.progress();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double worked_before = blocking.progress().worked;
    all_blocking.push_back(timed(comm, blocking.all) / units);
    worked.push_back(largest(comm, blocking.progress().worked - worked_before) / units);
    all_overlapped.push_back(timed(comm, overlapped.all) / units);
  }
  const ProgressReport after = overlapped.progress();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    all_exchange.push_back(timed(comm, [&] { overlapped.exchange_only(false); }) / units);
  }
  timeline::start_recording();
  MPI_Barrier(comm);
  overlapped.all();
  const auto timeline = timeline::stop_recording();
  const Waits waits = split_waits(comm, timeline.transfers, units * median_of(all_exchange));
  // CPU time has a resolution of 10 ms, so that many repetitions are needed
  constexpr double long_enough = 1.5;
  const double asleep = timed(comm, [&] { overlapped.exchange_only(true); });
  const int many = std::max(1, static_cast<int>(long_enough / asleep));
  MPI_Barrier(comm);
  const double busy = busy_seconds();
  for (int repeat = 0; repeat < many; ++repeat) overlapped.exchange_only(true);
  MPI_Barrier(comm);
  const double busy_in_all = busy_seconds() - busy;
  Overlap result;
  const double ranks = same_kernel(comm).ranks;
  result.ranks_per_core = largest(comm, std::max(1.0, ranks / static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN))));
  result.exchange_cpu = largest(comm, busy_in_all / ranks / (units * many));
  result.blocking = median_of(all_blocking);
  result.overlapped = median_of(all_overlapped);
  result.exchange_only = median_of(all_exchange);
  result.compute_only = median_of(worked);
  const double calls = repeats * units;
  result.waits = {waits.late_partner / units, waits.transport / units, waits.progress / units};
  result.waited = largest(comm, after.waited - before.waited) / calls;
  result.polls = largest(comm, static_cast<double>(after.polls - before.polls)) / calls;
  result.moves = largest(comm, static_cast<double>(after.moves - before.moves)) / calls;
  return result;
}

}  // namespace seiche::command
