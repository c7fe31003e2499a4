// SPDX-License-Identifier: BSD-3-Clause
/// \file  What moves make of a policy: as many rounds in memory as its window has, moved by its algorithm, driven while
/// a rank works. Seen from endpoints of the test's own.
#include <chrono>
#include <map>
#include <thread>

#include "orbitals/redistribution.hpp"
#include "pipeline/pipeline.hpp"
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t bands = 96, plane_waves = 24;

/// From whole bands on each rank in turn to a part of all bands on each.
MoveTask task_of() {
  MoveTask task;
  for (int r = 0; r < ranks(); ++r) {
    task.from.push_back({block(bands, ranks(), r), {{0, plane_waves}}});
    task.to.push_back({{0, bands}, {block(plane_waves, ranks(), r)}});
  }
  return task;
}

Complex value_of(std::int64_t band, std::int64_t wave) {
  return {static_cast<double>(band), static_cast<double>(wave)};
}

/// Calls of MPI that ask whether something has arrived.
std::int64_t polls() {
  std::int64_t sum = 0;
  for (const auto& [name, calls] : mpi_profile::counts()) sum += name.starts_with("MPI_Test") ? calls : 0;
  return sum;
}

/// What both ends see of the rounds.
struct Seen {
  int in_memory = 0, most = 0;       // rounds, from their loading until they are handed back
  std::map<int, std::int64_t> used;  // rounds of each slot
  std::int64_t polls_after_work = 0, since = 0;
  bool slow = false;  // whether work takes longer than polls are apart
  std::int64_t received = 0;

  void work_ends() {
    if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    since = polls();
  }
  void next_begins() { polls_after_work += polls() - since; }
};

struct Source : Endpoint {
  explicit Source(Seen& all) : seen(all) {}
  void start(int slot, const std::vector<BlockPart>& parts) override {
    constexpr std::int64_t first = 0;  // whole bands are here
    for (const BlockPart& part : parts) {
      Complex* value = part.data;
      for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
        for (const Fragment& fragment : part.rank_block->fragments) {
          for (std::int64_t n = 0; n < fragment.count; ++n) *value++ = value_of(band, first + fragment.first + n);
        }
      }
    }
    ++seen.used[slot];
    seen.most = std::max(seen.most, ++seen.in_memory);
    seen.work_ends();
  }
  void finish(int) override {}
  Seen& seen;
};

struct Target : Endpoint {
  explicit Target(Seen& all) : seen(all) {}
  void start(int, const std::vector<BlockPart>& parts) override {
    const std::int64_t first = block(plane_waves, ranks(), rank()).low;
    for (const BlockPart& part : parts) {
      const Complex* value = part.data;
      for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
        for (const Fragment& fragment : part.rank_block->fragments) {
          for (std::int64_t n = 0; n < fragment.count; ++n, ++seen.received) {
            EXPECT_EQ(*value++, value_of(band, first + fragment.first + n));
          }
        }
      }
    }
    seen.work_ends();
  }
  void finish(int) override {
    seen.next_begins();
    --seen.in_memory;
  }
  Seen& seen;
};

/// Collective. Moves all, and checks that all came.
Seen moved(const Policy& policy, bool slow = false) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  Seen seen;
  seen.slow = slow;
  Source source(seen);
  Target target(seen);
  carry(comm, {task_of()}, source, target, {.policy = policy});
  EXPECT_EQ(seen.received, bands * block(plane_waves, ranks(), rank()).size());
  compared(seen.received);
  return seen;
}

/// Bytes with which a slot has room for one band, so that there are as many rounds as a rank has bands.
std::int64_t memory_for(int slots) { return 2 * slots * plane_waves * static_cast<std::int64_t>(sizeof(Complex)); }

TEST(MovePolicy, AsManyRoundsAreInMemoryAsTheWindowHas) {
  for (const auto& [window, slots] : {std::pair{0, 7}, {1, 1}, {2, 2}, {5, 5}, {9, 9}}) {
    const Seen seen = moved({.window = window, .memory = memory_for(slots)});
    EXPECT_EQ(seen.most, slots);
    EXPECT_EQ(static_cast<int>(seen.used.size()), slots);
    compared(2);
  }
  expect_error(Fault::bad_argument, "the window of a policy must be 0 to 4096 (got -1)", [] { moved({.window = -1}); });
}

/// To the byte. Where the window has no room for a band at a time, four rounds in flight will do.
TEST(MovePolicy, RoundsHoldWithinTheMemory) {
  for (const auto& [window, slots] : {std::pair{1, 1}, {2, 2}, {4, 4}, {9, 4}, {0, 4}}) {
    EXPECT_EQ(moved({.window = window, .memory = memory_for(slots)}).most, slots);
    expect_error(Fault::bad_argument,
                 "a window of one band needs 1 MB of memory on a rank, which exceeds the limit of 0 MB",
                 [&, w = window, s = slots] { moved({.window = w, .memory = memory_for(s) - 1}); });
  }
  const bool last = rank() == ranks() - 1;  // whose limit is that of all
  EXPECT_EQ(moved({.window = 7, .memory = last ? memory_for(4) : 0}).most, 4);
  expect_error(Fault::bad_argument,
               "a window of one band needs 1 MB of memory on a rank, which exceeds the limit of 0 MB",
               [&] { moved({.window = 1, .memory = last ? memory_for(1) - 1 : 0}); });
}

TEST(MovePolicy, TheAlgorithmMovesTheBytes) {
  if (ranks() == 1) return compared();
  for (const auto& [algorithm, call] : {std::pair{Algorithm::alltoallv, "MPI_Alltoallv"},
                                        {Algorithm::alltoall, "MPI_Alltoall"},
                                        {Algorithm::ialltoallv, "MPI_Ialltoallv"},
                                        {Algorithm::pairwise, "MPI_Isend"}}) {
    mpi_profile::start_counting();
    moved({.algorithm = algorithm});
    EXPECT_GT(mpi_profile::counts()[call], 0) << call;
    compared();
  }
}

/// Between a stage's work and the next there are polls, or none.
TEST(MovePolicy, ProgressIsDrivenWhileARankWorks) {
  mpi_profile::start_counting();
  for (const Progress progress : {Progress::automatic, Progress::poll, Progress::none}) {
    const Seen seen = moved({Algorithm::pairwise, progress, 4, memory_for(4)}, true);
    if (progress == Progress::none || ranks() == 1) {
      EXPECT_EQ(seen.polls_after_work, 0);
    } else {
      EXPECT_GT(seen.polls_after_work, 0);
    }
    compared();
  }
}

TEST(MovePolicy, AThreadMovesTheSame) {
  if (threads_may_call_mpi()) {
    moved({Algorithm::pairwise, Progress::thread});
  } else {
    expect_error(Fault::unsupported, "progress 'thread' needs MPI_THREAD_SERIALIZED",
                 [] { moved({.progress = Progress::thread}); });
  }
}

/// An endpoint whose threads are slow.
template <class Kind>
struct Slow : Kind {
  using Kind::Kind;
  void finish(int slot) override {
    EXPECT_TRUE(there);
    Kind::finish(slot);
  }
  bool ready(int) override { return there; }
  bool there = false;
};

TEST(MovePolicy, ProgressDoesNotWaitForThreads) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const std::vector<MoveTask> tasks{task_of()};
  Seen seen;
  Slow<Source> source(seen);
  Slow<Target> target(seen);
  const MoveOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 5, .memory = memory_for(5)}};
  Carrier carrier(comm, tasks, source, target, options);
  carrier.begin();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(carrier.progress());
  EXPECT_EQ(seen.received, 0);
  source.there = true;
  while (seen.received == 0) EXPECT_FALSE(carrier.progress());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(carrier.progress());
  EXPECT_EQ(seen.most, 5);
  target.there = true;
  while (!carrier.progress()) continue;
  EXPECT_EQ(seen.received, bands * block(plane_waves, ranks(), rank()).size());
  carrier.complete();
  compared(seen.received);
}

/// Threads of the target then work without progress().
TEST(MovePolicy, ABeginningThatWaitsFillsTheTarget) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const std::vector<MoveTask> tasks{task_of()};
  Seen seen;
  Source source(seen);
  Slow<Target> target(seen);
  const MoveOptions options{.policy = {.window = 5, .memory = memory_for(5)}};
  Carrier carrier(comm, tasks, source, target, options);
  carrier.begin(true);
  const std::int64_t before = seen.received;
  EXPECT_GT(before, 0);
  EXPECT_LT(before, bands * block(plane_waves, ranks(), rank()).size());
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(carrier.progress());
  EXPECT_EQ(seen.received, before);
  target.there = true;
  carrier.complete();
  EXPECT_EQ(seen.received, bands * block(plane_waves, ranks(), rank()).size());
  compared(seen.received);
}

/// MPI has some thousand communicators; sets of ranks that read a k-point may be more.
TEST(MovePolicy, ReadingMakesNoCommunicatorForEachSetOfRanks) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  {
    const WaveFile file(own, data_set("si_small"));
    mpi_profile::start_counting();
    Orbitals orbitals = read_orbitals(file, {.grid = {.kpoints = ranks()}});
    read_into(orbitals, file);
    EXPECT_EQ(mpi_profile::counts().count("MPI_Comm_split"), 0U);
    std::int64_t here = 0, all = 0, expected = 0;
    for (const OrbitalPart& part : orbitals.parts) here += std::ssize(part.waves);
    MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, own);
    for (const auto& kpoint : file.header().kpoints) expected += kpoint.plane_waves * file.header().spins;
    EXPECT_EQ(all, expected);
    compared(2);
  }
  MPI_Comm_free(&own);
}

}  // namespace
}  // namespace seiche::testing
