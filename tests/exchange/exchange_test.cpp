// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exchanges in every way: each value arrives where plain index arithmetic says, again and again, both ways.
#include "exchange/exchange_interface.hpp"

#include <sched.h>

#include <string>

#include "comm/check.hpp"
#include "exchange/schedule.hpp"
#include "exchange/uneven_exchange.hpp"
#include "support/mpi_test.hpp"
#include "support/topology.hpp"
#include "support/transforms.hpp"
#include "tuning/policy.hpp"

namespace seiche::testing {
namespace {

class EveryAlgorithm : public ::testing::TestWithParam<Algorithm> {};
class BetweenRanks : public EveryAlgorithm {};  // all but local
class ByMessages : public EveryAlgorithm {};    // all but local and shared
class NonBlocking : public EveryAlgorithm {};   // those that go on by themselves

/// Returns the algorithms for which a test means something.
template <class Condition>
std::vector<Algorithm> those(const Condition& condition) {
  std::vector<Algorithm> all = ways_here();
  std::erase_if(all, [&](Algorithm algorithm) { return !condition(algorithm); });
  return all;
}

TEST_P(EveryAlgorithm, BothWaysWithLentAndOwnFarEnds) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  for (const TargetMemory target_memory : {TargetMemory::zero_copy, TargetMemory::own}) {
    check_both_ways(comm, {.algorithm = GetParam(), .element = sizeof(double), .target_memory = target_memory});
  }
}

TEST_P(EveryAlgorithm, BothWaysOnADevice) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  ExchangeRequest request{.algorithm = GetParam(),
                          .element = sizeof(double),
                          .target_memory = TargetMemory::own,
                          .queue = Queue(Space::cuda)};
  check_both_ways(comm, request);
  const ExchangeRequest usual = in_space(request, comm);
  EXPECT_EQ(usual.from_device, sent_from_device(GetParam()));
  check_both_ways(comm, usual);
  request.target_memory = TargetMemory::zero_copy;
  if (GetParam() == Algorithm::local) return check_both_ways(comm, request);
  if (moves(GetParam(), Space::cuda)) return;  // kernels do not write memory of other ranks
  expect_error(Fault::internal, "a staged exchange has no zero-copy targets",
               [&] { make_exchange(comm, uneven_route(), request); });
}

TEST_P(BetweenRanks, WhatStaysOnARankIsNotCopied) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const Route route = uneven_route();
  const Patch& kept = route.source[static_cast<std::size_t>(rank())];
  for (const TargetMemory target_memory : {TargetMemory::zero_copy, TargetMemory::own}) {
    const auto exchange = make_exchange(
        comm, route, {.algorithm = GetParam(), .element = sizeof(double), .target_memory = target_memory});
    const std::byte* there = exchange->source() + 8 * (kept.offset - route.source_begin);
    if (kept.size() > 0) {
      EXPECT_EQ(exchange->target(rank()).data == there, target_memory == TargetMemory::zero_copy);
    }
    compared(1);
  }
}

/// As if ranks were on several nodes, one of them with fewer.
TEST_P(ByMessages, BetweenNodes) {
  for (const int ranks_of_node : {1, 2, 3}) {
    const EmulatedNodes nodes(ranks_of_node);
    const Communicator comm = Communicator(MPI_COMM_WORLD);
    check_both_ways(comm, {.algorithm = GetParam(), .element = sizeof(double), .target_memory = TargetMemory::own});
    check_both_ways(comm, {.algorithm = Algorithm::automatic, .element = sizeof(double)});
    const ExchangeRequest on_device =
        in_space({.algorithm = Algorithm::automatic, .element = sizeof(double), .queue = Queue(Space::cuda)}, comm);
    EXPECT_EQ(on_device.from_device, !comm.on_one_node());
    check_both_ways(comm, on_device);
  }
}

TEST_P(EveryAlgorithm, CountsBeyondMpisLimitAreSplit) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const std::int64_t limit = count_limit();
  set_count_limit(3);  // as if MPI could count no further
  // setting up exchanges small lists of its own, which the lowered limit must not touch
  Route route;
  for (int q = 0; q < ranks(); ++q) {
    route.source.push_back(row_patch(q * 10, 10));
    route.target.push_back(row_patch(q * 10, 10));
  }
  route.source_size = route.target_size = ranks() * 10;
  std::unique_ptr<Exchange> exchange;
  if (GetParam() == Algorithm::shared || GetParam() == Algorithm::local) set_count_limit(limit);  // sends no messages
  exchange = make_exchange(comm, route, {.algorithm = GetParam(), .element = sizeof(double)});
  auto* source = reinterpret_cast<double*>(exchange->source());
  for (int i = 0; i < ranks() * 10; ++i) source[i] = rank() * 1000 + i;
  go(*exchange, Toward::target);
  std::int64_t wrong = 0;
  for (int q = 0; q < ranks(); ++q) {
    const auto* target = reinterpret_cast<const double*>(exchange->target(q).data);
    for (int i = 0; i < 10; ++i) wrong += target[i] != q * 1000 + rank() * 10 + i;
  }
  set_count_limit(limit);
  EXPECT_EQ(wrong, 0);
  compared(ranks() * 10);
}

/// All send two values to rank 0, whose memory alone is beyond the limit.
TEST_P(BetweenRanks, CountsBeyondTheLimitOnOneRankAreSplitByAll) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  Route route;
  for (int q = 0; q < ranks(); ++q) {
    route.source.push_back(row_patch(0, q == 0 ? 2 : 0));
    route.target.push_back(row_patch(2 * q, rank() == 0 ? 2 : 0));
  }
  route.source_size = 2;
  route.target_size = rank() == 0 ? 2 * ranks() : 0;
  const std::int64_t limit = count_limit();
  if (GetParam() != Algorithm::shared) set_count_limit(3);
  const auto exchange = make_exchange(comm, route, {.algorithm = GetParam(), .element = sizeof(double)});
  auto* source = reinterpret_cast<double*>(exchange->source());
  source[0] = rank(), source[1] = -rank();
  go(*exchange, Toward::target);
  set_count_limit(limit);
  for (int q = 0; q < ranks() && rank() == 0; ++q) {
    const auto* target = reinterpret_cast<const double*>(exchange->target(q).data);
    EXPECT_EQ(target[0], q);
    EXPECT_EQ(target[1], -q);
  }
  compared(2);
}

/// Rank 0 polls before the others have begun: they wait for a word of it.
TEST_P(NonBlocking, PollsAreTrueOnlyAtTheEnd) {
  if (ranks() == 1) GTEST_SKIP() << "one rank waits for nobody";
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const Route route = uneven_route();
  const auto exchange = make_exchange(comm, route, {.algorithm = GetParam(), .element = sizeof(double)});
  each_near(*exchange, route, [&](double& v, int from, int to, auto j, auto i) { v = value_of(from, to, j, i, 0); });
  if (rank() == 0) {
    exchange->start(Toward::target, Payload::values);
    for (int n = 0; n < 100; ++n) EXPECT_FALSE(exchange->poll());
    for (int q = 1; q < ranks(); ++q) check(MPI_Send(nullptr, 0, MPI_BYTE, q, 0, comm.get()), "MPI_Send");
  } else {
    check(MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, comm.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    exchange->start(Toward::target, Payload::values);
  }
  while (!exchange->poll()) sched_yield();
  exchange->finish();
  EXPECT_TRUE(exchange->poll()) << "nothing is under way";
  std::int64_t wrong = 0;
  each_far(*exchange, [&](double& v, int from, int to, auto j, auto i) { wrong += v != value_of(from, to, j, i, 0); });
  EXPECT_EQ(wrong, 0);
  compared(3);
}

TEST_P(EveryAlgorithm, SeveralUnderWayAtOnce) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const Route route = uneven_route();
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (int e = 0; e < 3; ++e) {
    exchanges.push_back(make_exchange(comm, route, {.algorithm = GetParam(), .element = sizeof(double)}));
    each_near(*exchanges.back(), route,
              [&](double& v, int from, int to, auto j, auto i) { v = value_of(from, to, j, i, e); });
  }
  for (const auto& exchange : exchanges) exchange->start(Toward::target, Payload::values);
  std::int64_t wrong = 0, seen = 0;
  for (int e = 2; e >= 0; --e) {
    exchanges[static_cast<std::size_t>(e)]->finish();
    each_far(*exchanges[static_cast<std::size_t>(e)], [&](double& v, int from, int to, auto j, auto i) {
      wrong += v != value_of(from, to, j, i, e);
      ++seen;
    });
  }
  EXPECT_EQ(wrong, 0);
  compared(seen);
}

/// Slots of one memory: each exchange gives its own part of it, and one does not touch the others'.
TEST_P(EveryAlgorithm, PartsOfOneMemory) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const Route route = uneven_route();
  std::vector<Route> parts;
  for (std::int64_t slot = 0; slot < 3; ++slot) parts.push_back(in_slot(route, slot, 3));
  const std::vector<std::pair<TargetMemory, Space>> kinds{
      {TargetMemory::zero_copy, Space::host}, {TargetMemory::own, Space::host}, {TargetMemory::own, Space::cuda}};
  for (const auto& [target_memory, space] : kinds) {
    const ExchangeRequest request = in_space(
        {.algorithm = GetParam(), .element = sizeof(double), .target_memory = target_memory, .queue = Queue(space)},
        comm);
    const auto exchanges = make_exchanges(comm, parts, request, memory_for(comm, parts, request, Fresh::zero));
    std::int64_t wrong = 0, seen = 0;
    for (std::size_t e = 0; e < 3; ++e) {
      wrong +=
          exchanges[e]->source() - exchanges[0]->source() != static_cast<std::ptrdiff_t>(e) * 8 * route.source_size;
      each_near(
          *exchanges[e], route,
          [&](double& v, int from, int to, auto j, auto i) { v = value_of(from, to, j, i, int(e)); }, request.queue);
      exchanges[e]->start(Toward::target, Payload::values);
    }
    for (std::size_t e = 0; e < 3; ++e) {
      exchanges[e]->finish();
      each_far(
          *exchanges[e],
          [&](double& v, int from, int to, auto j, auto i) {
            wrong += v != value_of(from, to, j, i, int(e));
            ++seen;
          },
          request.queue);
    }
    EXPECT_EQ(wrong, 0);
    compared(seen);
  }
}

std::string name_of_test(const ::testing::TestParamInfo<Algorithm>& algorithm) {
  return std::string(name_of(algorithm.param));
}
INSTANTIATE_TEST_SUITE_P(Ways, EveryAlgorithm, ::testing::ValuesIn(ways_here()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Ways, BetweenRanks,
                         ::testing::ValuesIn(those([](Algorithm a) { return a != Algorithm::local; })), name_of_test);
INSTANTIATE_TEST_SUITE_P(Ways, ByMessages, ::testing::ValuesIn(those([](Algorithm a) {
                           return a != Algorithm::local && a != Algorithm::shared;
                         })),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(Ways, NonBlocking, ::testing::ValuesIn(those(goes_on_by_itself)), name_of_test);

/// Else ranks would wait for others out of turn.
TEST(Ways, PairwiseSendsInTheStepInWhichThePeerReceives) {
  constexpr int all = 7;
  Route route;
  for (int q = 0; q < all; ++q) {
    route.source.push_back(row_patch(2 * q, 2));
    route.target.push_back(row_patch(2 * q, 2));
  }
  route.source_size = route.target_size = 2 * all;
  std::vector<Schedule> of;
  for (int r = 0; r < all; ++r) of.emplace_back(RankPosition{r, all, true}, route, Form{sizeof(double), false});
  for (int r = 0; r < all; ++r) {
    const Schedule& mine = of[static_cast<std::size_t>(r)];
    ASSERT_EQ(mine.source.out.size(), all - 1U);
    for (std::size_t step = 0; step < mine.source.out.size(); ++step) {
      const Schedule& there = of[static_cast<std::size_t>(mine.source.out[step].peer)];
      const Schedule& back = of[static_cast<std::size_t>(mine.target.out[step].peer)];
      EXPECT_EQ(there.target.in[step].peer, r) << step;
      EXPECT_EQ(back.source.in[step].peer, r) << step;
      compared(2);
    }
  }
}

/// On any number of ranks, where each route leads to itself.
TEST(Ways, LocalKeepsValuesWhereTheyAre) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  Route route{12, 20, std::vector<Patch>(ranks()), std::vector<Patch>(ranks())};
  const auto me = static_cast<std::size_t>(rank());
  route.source[me] = {1, {3, 2, 1}, {1, 4, 1}};
  route.target[me] = {2, {3, 2, 1}, {1, 9, 1}};
  for (const TargetMemory target_memory : {TargetMemory::zero_copy, TargetMemory::own}) {
    const ExchangeRequest request{
        .algorithm = Algorithm::local, .element = sizeof(double), .target_memory = target_memory};
    const auto exchange = make_exchange(comm, route, request);
    const bool zero_copy = target_memory == TargetMemory::zero_copy;
    EXPECT_EQ(memory_of_exchanges(comm, {&route, 1}, request), sizeof(double) * (zero_copy ? 12U : 32U));
    EXPECT_EQ(exchange->source() + sizeof(double) == exchange->target(rank()).data, zero_copy);
    double next = 0;
    each_near(*exchange, route, [&](double& v, int, int, auto, auto) { v = ++next; });
    go(*exchange, Toward::target);
    std::vector<double> there, back;
    each_far(*exchange, [&](double& v, int, int, auto, auto) { there.push_back(v), v += 10; });
    go(*exchange, Toward::source);
    each_near(*exchange, route, [&](double& v, int, int, auto, auto) { back.push_back(v); });
    expect_equal(there, {1, 2, 3, 4, 5, 6});
    expect_equal(back, {11, 12, 13, 14, 15, 16});
  }
}

TEST(Ways, LocalMovesNothing) {
  if (ranks() == 1) GTEST_SKIP() << "nothing moves on one rank";
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  Route route;  // one value of rank 0 for rank 1
  for (int q = 0; q < ranks(); ++q) {
    route.source.push_back(row_patch(0, rank() == 0 && q == 1 ? 1 : 0));
    route.target.push_back(row_patch(0, rank() == 1 && q == 0 ? 1 : 0));
  }
  route.source_size = route.target_size = 1;
  expect_error(Fault::bad_argument,
               "the exchange algorithm 'local' sends nothing, but rank 0 has values for other ranks",
               [&] { make_exchange(comm, route, {.algorithm = Algorithm::local}); });
}

TEST(Ways, HaveNames) {
  for (const Algorithm algorithm : all_algorithms()) EXPECT_EQ(algorithm_named(name_of(algorithm)), algorithm);
  EXPECT_EQ(algorithm_named("automatic"), Algorithm::automatic);
  expect_error(Fault::bad_argument, "unknown exchange algorithm 'pigeon': use one of automatic, alltoallv",
               [] { algorithm_named("pigeon"); });
  compared(5);
}

TEST(Ways, AutomaticIsSharedOnOneNode) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  EXPECT_EQ(resolved_algorithm(comm, Algorithm::automatic), Algorithm::shared);
  EXPECT_EQ(resolved_algorithm(comm, Algorithm::pairwise), Algorithm::pairwise);
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
