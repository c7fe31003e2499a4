// SPDX-License-Identifier: BSD-3-Clause
#include "measured_links.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "bench_report.hpp"
#include "contest.hpp"
#include "fft/exchange_only.hpp"
#include "kernel.hpp"
#include "some_ranks.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

struct Size {
  int rank = 0, ranks = 1;
  explicit Size(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
};

/// Returns half of the round-trip time of a message between the first two ranks, the median of many.
double latency_of(MPI_Comm comm) {
  constexpr int times = 400;
  const Size at(comm);
  std::vector<double> all;
  double value = 0;
  for (int i = 0; i < times && at.rank < 2; ++i) {
    const double start = MPI_Wtime();
    if (at.rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, comm);
    MPI_Recv(&value, 1, MPI_DOUBLE, 1 - at.rank, 0, comm, MPI_STATUS_IGNORE);
    if (at.rank == 1) MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, comm);
    all.push_back(0.5 * (MPI_Wtime() - start));
  }
  double latency = median_of(all);
  MPI_Bcast(&latency, 1, MPI_DOUBLE, 0, comm);
  return latency;
}

/// Returns the time of a rank for sending one small message and receiving another, with many messages in flight.
double message_of(MPI_Comm comm) {
  constexpr int times = 100, many = 64;
  const Size at(comm);
  std::array<MPI_Request, 2 * many> requests;
  std::array<double, 2 * many> values{};
  std::vector<double> all;
  for (int i = 0; i < times && at.rank < 2; ++i) {
    const int other = 1 - at.rank;
    const double start = MPI_Wtime();
    for (int m = 0; m < many; ++m) MPI_Irecv(&values[m], 1, MPI_DOUBLE, other, 0, comm, &requests[m]);
    for (int m = many; m < 2 * many; ++m) MPI_Isend(&values[m], 1, MPI_DOUBLE, other, 0, comm, &requests[m]);
    MPI_Waitall(2 * many, requests.data(), MPI_STATUSES_IGNORE);
    all.push_back((MPI_Wtime() - start) / many);
  }
  double message = median_of(all);
  MPI_Bcast(&message, 1, MPI_DOUBLE, 0, comm);
  return message;
}

/// An exchange of large messages between all ranks, as in transforms: in pieces that are sent from their place in
/// memory.
class LargeExchange {
 public:
  LargeExchange(MPI_Comm comm, const Size& at)
      : fft_(comm, {to_each, at.ranks, at.ranks},
             {.policy = {.algorithm = Algorithm::pairwise, .window = 1},
              .decomposition = Decomposition::slab,
              .chunks = {1}}),
        field_(fft_.allocate()) {}
  /// Exchanges forward and backward.
  void run(bool asleep) { exchange_only(fft_, field_, asleep); }
  /// Bytes per rank, forward and backward.
  static double sent(const Size& at) { return 2.0 * sizeof(Complex) * to_each * (at.ranks - 1); }
  static double kept() { return 2.0 * sizeof(Complex) * to_each; }

 private:
  static constexpr std::int64_t to_each = 1 << 18;  // points: 4 MB
  DenseFft<Complex> fft_;
  Field<Complex> field_;
};

/// Collective over `comm`, whose ranks all exchange with each other.
predict::Link measured_link(MPI_Comm comm, double copy, double budget) {
  const Size at(comm);
  predict::Link link;
  link.latency = latency_of(comm);
  link.message = message_of(comm);
  LargeExchange exchange(comm, at);
  const auto timed = [&](bool asleep) {
    MPI_Barrier(comm);
    const double start = MPI_Wtime();
    exchange.run(asleep);
    return largest(comm, MPI_Wtime() - start);
  };
  timed(false);
  std::vector<double> awake;
  // by times that all ranks have agreed on: with local clocks, one rank would stop while another continues
  for (double spent = 0; spent < budget || awake.size() < 3; spent += awake.back()) awake.push_back(timed(false));
  // CPU time has a resolution of 10 ms, so that many repetitions are needed
  const double asleep = timed(true);
  const int many = std::max(3, static_cast<int>(std::max(budget, 1.0) / asleep));
  MPI_Barrier(comm);
  const double before = busy_seconds();
  for (int i = 0; i < many; ++i) exchange.run(true);
  MPI_Barrier(comm);
  const double busy = largest(comm, busy_seconds() - before) / (many * same_kernel(comm).ranks);
  const double sent = LargeExchange::sent(at), kept = LargeExchange::kept() / copy;
  link.cpu = std::max(busy - kept, 0.0) / sent;
  link.bandwidth = sent / std::max(median_of(awake) - 2 * link.latency, 1e-9);
  return link;
}

/// Measures between the ranks with `has_me`, which include rank 0.
predict::Link link_among(const Session& session, bool has_me, double copy, double budget) {
  const SomeRanks comm(session, has_me);
  predict::Link link;
  if (comm.has_me()) link = measured_link(comm.get(), copy, budget);
  sleep_until_all_are_here(session.comm);
  MPI_Bcast(&link, sizeof link, MPI_BYTE, 0, session.comm);
  return link;
}

}  // namespace

std::optional<predict::Link> link_inside(const Session& session, const RankPlace& place, double copy, double budget) {
  if (place.ranks_of_node < 2) return {};
  const int some = std::max(2, std::min(place.ranks_of_node, static_cast<int>(place.cores)));
  return link_among(session, place.leader == 0 && place.in_node < some, copy, budget);
}

std::optional<predict::Link> link_between(const Session& session, const RankPlace& place, double copy, double budget) {
  if (place.nodes < 2) return {};
  return link_among(session, place.in_node == 0, copy, budget);
}

double measured_wake() {
  constexpr int turns = 200;
  cpu_set_t before, here;
  sched_getaffinity(0, sizeof before, &before);
  std::atomic<int> turn{0};
  const auto play = [&](int me) {
    constexpr int spins_before_yield = 2000;  // as in SharedExchange
    for (int i = 0; i < turns; ++i) {
      for (int spins = 0; turn.load(std::memory_order_acquire) != 2 * i + me; ++spins) {
        if (spins >= spins_before_yield) sched_yield();
      }
      turn.store(2 * i + me + 1, std::memory_order_release);
    }
  };
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
  const double start = MPI_Wtime();
  std::thread other(play, 1);  // runs on the core of this thread
  play(0);
  other.join();
  const double taken = MPI_Wtime() - start;
  sched_setaffinity(0, sizeof before, &before);
  return taken / (2 * turns);
}

}  // namespace seiche::command
