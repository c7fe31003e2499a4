// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests communicators and agreement: who throws what, what is cached, what happens above MPI's limit of counts.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "comm/handle.hpp"
#include "support/mpi_test.hpp"
#include "trace/mpi_profile.hpp"

using namespace seiche;
using namespace seiche::testing;

namespace {

/// A communicator of the caller, freed at the end: nothing is cached on it yet.
struct Fresh {
  Fresh() { MPI_Comm_dup(MPI_COMM_WORLD, &raw); }
  ~Fresh() { MPI_Comm_free(&raw); }
  MPI_Comm raw = MPI_COMM_NULL;
};

std::int64_t communicators_made() {
  std::int64_t made = 0;
  for (const auto& [name, calls] : mpi_profile::counts()) {
    if (name == "MPI_Comm_dup" || name == "MPI_Comm_split" || name == "MPI_Comm_split_type") made += calls;
  }
  return made;
}

struct LoweredLimit {
  explicit LoweredLimit(std::int64_t limit) { set_count_limit(limit); }
  ~LoweredLimit() { set_count_limit(was); }
  const std::int64_t was = count_limit();
};

}  // namespace

TEST(Communicator, OfNobodyIsRefused) {
  expect_error(Fault::bad_argument, "the communicator is MPI_COMM_NULL", [] { Communicator none(MPI_COMM_NULL); });
}

TEST(Agree, IsSilentWithoutAnError) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  EXPECT_NO_THROW(agree(comm, std::nullopt));
  compared();
}

TEST(Agree, ThrowsTheErrorOfTheLowestRankEverywhere) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  const int lowest = comm.size() / 2;
  std::optional<Error> mine;
  if (comm.rank() >= lowest)
    mine.emplace(Fault::unwritable, "disk of rank " + std::to_string(comm.rank()) + " is full");
  expect_error(Fault::unwritable, "disk of rank " + std::to_string(lowest) + " is full", [&] { agree(comm, mine); });
}

TEST(Communicator, RefusesTwoGroups) {
  if (ranks() == 1) GTEST_SKIP() << "two groups need two ranks";
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() == 0 ? 0 : 1, rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank() == 0 ? 1 : 0, 7, &both);
  expect_error(Fault::bad_argument, "intercommunicators are not supported: merge the two groups",
               [&] { const Communicator comm(both); });
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

TEST(Agree, ThrowsAlikeFromWorkOfTheLastRank) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "damaged", [&] {
    together(comm, [&] {
      if (comm.rank() == comm.size() - 1) throw Error(Fault::bad_file, "damaged");
    });
  });
  expect_error(Fault::internal, "surprise", [&] {
    together(comm, [&] {
      if (comm.rank() == comm.size() - 1) throw std::logic_error("surprise");
    });
  });
  expect_error(Fault::internal, "an exception that is not a std::exception", [&] {
    together(comm, [&] {
      if (comm.rank() == comm.size() - 1) throw 3;
    });
  });
}

TEST(Agree, RunsRootsWorkOnceAndSharesItsError) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  int runs = 0;
  on_root(comm, [&] { ++runs; });
  EXPECT_EQ(sum(comm, runs), 1);
  EXPECT_EQ(runs, comm.rank() == 0 ? 1 : 0);
  compared(2);
  expect_error(Fault::bad_argument, "no such format",
               [&] { on_root(comm, [] { throw Error(Fault::bad_argument, "no such format"); }); });
}

TEST(Agree, BroadcastsMoreThanOneCallMayCarry) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  std::string expected(1000, ' ');
  std::iota(expected.begin(), expected.end(), '\0');
  for (const std::int64_t limit : {1L, 7L, 999L, 1000L, 1001L}) {
    const LoweredLimit lowered(limit);
    std::string bytes = comm.rank() == 0 ? expected : "something else";
    broadcast(comm, bytes);
    expect_equal(bytes, expected);
  }
}

TEST(Agree, BroadcastsTextsOfAnyLength) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  for (const std::size_t size : {0, 1, 503, 504, 505, 1100}) {
    const std::string expected(size, 'x');
    std::string bytes = comm.rank() == 0 ? expected : "something else";
    broadcast(comm, bytes);
    expect_equal(bytes, expected);
  }
}

TEST(Agree, ReducesAndGathers) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  const std::int64_t n = comm.size();
  EXPECT_EQ(sum(comm, std::int64_t{comm.rank()} + 1), n * (n + 1) / 2);
  EXPECT_EQ(maximum(comm, -std::int64_t{comm.rank()}), 0);
  EXPECT_EQ(maximum(comm, 0.5 * comm.rank()), 0.5 * static_cast<double>(n - 1));
  compared(3);
  std::vector<std::int64_t> expected, joined;
  for (std::int64_t r = 0; r < n; ++r) {
    expected.push_back(10 * r);
    for (std::int64_t i = 0; i < r; ++i) joined.push_back(100 * r + i);  // rank r brings r values, rank 0 none
  }
  expect_equal(gather_all(comm, 10 * comm.rank()), expected);
  std::vector<std::int64_t> mine;
  for (std::int64_t i = 0; i < comm.rank(); ++i) mine.push_back(100 * comm.rank() + i);
  expect_equal(join_all(comm, mine), joined);
}

TEST(Agree, ReducesAndExchangesLists) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  const std::int64_t me = comm.rank(), size = comm.size();
  const LoweredLimit limit(2);
  expect_equal(sum_each(comm, {1, me, -me}), {size, size * (size - 1) / 2, -size * (size - 1) / 2});
  expect_equal(maximum_each(comm, {7, me, -me}), {7, size - 1, 0});
  std::vector<std::int64_t> sent, expected;
  for (std::int64_t q = 0; q < size; ++q) {
    sent.insert(sent.end(), {100 * me + q, -q});
    expected.insert(expected.end(), {100 * q + me, -me});
  }
  std::vector<std::int64_t> received(sent.size());
  exchange_each(comm, sent, received);
  expect_equal(received, expected);
}

TEST(Agree, BroadcastsAmongSomeRanks) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  const LoweredLimit limit(5);  // longer messages go in pieces
  for (int first = 0; first < comm.size(); ++first) {
    for (int step = 1; step <= 2; ++step) {
      std::vector<int> members;
      for (int rank = first; rank < comm.size(); rank += step) members.push_back(rank);
      std::reverse(members.begin(), members.end());
      std::vector<std::byte> bytes(13, std::byte(comm.rank() == members[0] ? 7 + first : 0));
      broadcast_among(comm, members, bytes);
      const bool member = std::find(members.begin(), members.end(), comm.rank()) != members.end();
      expect_equal(bytes, std::vector<std::byte>(13, std::byte(member ? 7 + first : 0)));
    }
  }
}

TEST(Agree, ComparesTheSmallestNumberOfAll) {
  const auto comm = Communicator(MPI_COMM_WORLD);
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  const bool several = comm.size() > 1;
  const std::int64_t mine = comm.rank() == 0 ? smallest : 5;
  EXPECT_EQ(bounds(comm, mine), std::pair(smallest, several ? std::int64_t{5} : smallest));
  compared();
  if (several) {
    expect_error(Fault::bad_argument,
                 "add: bands is 5 on rank 1, but -9223372036854775808 on rank 0: pass the same value on all ranks",
                 [&] { agree_on_bands(comm, mine, std::nullopt); });
  }
}

TEST(Communicator, GivesATagAgainOnlyAfterAllOthers) {
  const Fresh own;
  auto& body = body_of(Communicator(own.raw));
  std::set<int> tags;
  for (int i = 0; i < 40000; ++i) tags.insert(body.fresh_tags());
  const auto different = static_cast<std::size_t>(std::min(40000, largest_tag()));
  EXPECT_EQ(tags.size(), different);
  EXPECT_GT(*tags.begin(), 0);
  EXPECT_LE(*tags.rbegin(), largest_tag());
  body.last_tag = largest_tag() - 1;
  EXPECT_EQ(body.fresh_tags(), largest_tag());
  EXPECT_EQ(body.fresh_tags(), 1);
  compared(5);
}

TEST(Communicator, IsDuplicatedOncePerCommunicatorOfTheCaller) {
  const Fresh fresh;
  mpi_profile::start_counting();
  const auto first = Communicator(fresh.raw);
  EXPECT_EQ(communicators_made(), 1);
  const auto second = Communicator(fresh.raw);
  EXPECT_EQ(communicators_made(), 1);
  EXPECT_EQ(first.get(), second.get());
  EXPECT_NE(first.get(), fresh.raw);
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(first.get(), fresh.raw, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  compared(5);
}

TEST(Communicator, SplitsByColourOnceAndOrdersByRank) {
  const Fresh fresh;
  const auto comm = Communicator(fresh.raw);
  const int color = comm.rank() % 2;
  mpi_profile::start_counting();
  const auto half = comm.split(color);
  EXPECT_EQ(half.rank(), comm.rank() / 2);
  EXPECT_EQ(half.size(), (comm.size() + 1 - color) / 2);
  EXPECT_EQ(communicators_made(), 1);
  EXPECT_EQ(comm.split(color).get(), half.get());
  EXPECT_EQ(communicators_made(), 1) << "the second split must come from the cache";
  const auto all = comm.split(0);
  EXPECT_EQ(all.size(), comm.size());
  EXPECT_EQ(communicators_made(), comm.size() == 1 ? 1 : 2) << "another split needs another communicator";
  compared(7);
}

TEST(Communicator, FindsItsNodeOnce) {
  const Fresh fresh;
  const auto comm = Communicator(fresh.raw);
  mpi_profile::start_counting();
  const auto node = comm.node();
  std::array<char, MPI_MAX_PROCESSOR_NAME> mine{};
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  std::vector<char> all(mine.size() * static_cast<std::size_t>(comm.size()));
  MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                comm.get());
  int here = 0;
  for (auto name = all.begin(); name != all.end(); name += std::ssize(mine)) {
    here += std::equal(mine.begin(), mine.end(), name);
  }
  EXPECT_EQ(node.size(), here);
  EXPECT_EQ(comm.node().get(), node.get());
  EXPECT_EQ(communicators_made(), 1);
  compared(3);
}

TEST(Communicator, OutlivesTheCallersCommunicator) {
  auto fresh = std::make_unique<Fresh>();
  const auto comm = Communicator(fresh->raw);
  fresh.reset();
  EXPECT_EQ(sum(comm, 1), comm.size());
  compared();
}

TEST(Check, TurnsACodeIntoAnErrorThatNamesTheCall) {
  EXPECT_NO_THROW(check(MPI_SUCCESS, "MPI_Send"));
  compared();
  expect_error(Fault::mpi, "MPI_Send failed: ", [] { check(MPI_ERR_RANK, "MPI_Send"); });
  const auto comm = Communicator(MPI_COMM_WORLD);
  expect_error(Fault::mpi, "MPI_Send failed: ", [&] {
    check(MPI_Send(nullptr, 0, MPI_BYTE, comm.size(), 0, comm.get()), "MPI_Send");
  });
}

TEST(Check, RefusesStartsAboveTheLimit) {
  const LoweredLimit limit(10);
  expect_equal(mpi_starts({4, 0, 6}), {0, 4, 4});
  expect_error(Fault::internal, "exceed the limit of one MPI call", [] { mpi_starts({4, 7}); });
}

TEST(Check, RefusesCountsAboveTheLimit) {
  EXPECT_EQ(mpi_count(2147483647), 2147483647);
  EXPECT_EQ(count_limit(), 2147483647);
  compared(2);
  expect_error(Fault::internal, "2147483648 elements", [] { mpi_count(2147483648); });
  expect_error(Fault::internal, "-1 elements", [] { mpi_count(-1); });
  const LoweredLimit lowered(10);
  expect_error(Fault::internal, "limit of one MPI call (10)", [] { mpi_count(11); });
}
