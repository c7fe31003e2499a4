// SPDX-License-Identifier: BSD-3-Clause
/// \file  Trials by a clock that the test sets: which candidates go on, for how many rounds, and who wins.
#include "tuning/tuner.hpp"

#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

/// Candidates that take so many seconds in each of their timed rounds, the last for all that follow.
Verdict choose_among(const std::vector<std::vector<double>>& seconds, double budget = 1e9) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  double now = 0;
  std::vector<std::size_t> runs(seconds.size(), 0);
  std::vector<Candidate> candidates;
  for (std::size_t c = 0; c < seconds.size(); ++c) {
    candidates.push_back({std::to_string(c), [&, c] {
                            const std::size_t round = runs[c] == 0 ? 0 : runs[c] - 1;  // the first run only warms up
                            now += seconds[c][std::min(round, seconds[c].size() - 1)];
                            ++runs[c];
                          }});
  }
  TrialConditions conditions;
  conditions.budget = budget;
  conditions.clock = [&] { return now; };
  return choose(comm, candidates, conditions);
}

/// The median of the second is far behind, but one round is as fast as any: it goes on, and wins in the end.
TEST(Choose, AHiccupDropsNobody) {
  const Verdict verdict = choose_among({{10}, {30, 30, 9, 9}});
  expect_equal(verdict.rounds, {25, 25});
  EXPECT_EQ(verdict.best, 1U);
  EXPECT_EQ(verdict.seconds[1], 9);
}

/// 15 % behind the best in every round is hopeless, after three rounds; a little less is not.
TEST(Choose, SlowCandidatesAreDropped) {
  const Verdict verdict = choose_among({{10}, {11.51}, {11.49}, {8}});
  expect_equal(verdict.rounds, {25, 3, 3, 25});
  EXPECT_EQ(verdict.best, 3U);
  expect_equal(choose_among({{10}, {11.51}, {11.49}}).rounds, {25, 3, 25});
}

/// The plain candidate is timed to the end, since others are compared with it round by round.
TEST(Choose, ThePlainOneIsNeverDropped) {
  expect_equal(choose_among({{100}, {10}}).rounds, {25, 25});
  EXPECT_EQ(choose_among({{100}, {10}}).best, 1U);
}

/// The round in which the budget ends is the last, but there are three.
TEST(Choose, RoundsEndWithTheBudget) {
  expect_equal(choose_among({{10}, {10}}, 1).rounds, {3, 3});
  expect_equal(choose_among({{10}, {10}}, 139).rounds, {6, 6});  // 20 to warm up, then 20 a round
}

TEST(Tuner, TakesTheFastestThatGainsEnough) {
  EXPECT_EQ(fastest({{10, 10, 10, 10}, {9, 9, 9, 9}, {8, 8, 8, 8}}), 2U);
  EXPECT_EQ(fastest({{10, 10, 10, 10}, {9.9, 9.9, 9.9, 9.9}}), 0U) << "1 % is not enough";
  EXPECT_EQ(fastest({{10, 10, 10, 10}}), 0U);
  compared(3);
}

TEST(Tuner, ComparesRoundByRound) {
  // the machine becomes twice as slow half-way; the second was dropped before
  EXPECT_EQ(fastest({{10, 10, 10, 20, 20, 20}, {11, 11, 11}, {9, 9, 9, 18, 18, 18}}), 2U);
  EXPECT_EQ(fastest({{10, 10, 10, 20, 20, 20}, {11, 11, 11}}), 0U);
  compared(2);
}

TEST(Tuner, NoiseIsNoGain) {
  EXPECT_EQ(fastest({{10, 12, 9, 14, 10, 11, 13, 9}, {9, 13, 8, 13, 12, 10, 14, 8}}), 0U) << "five rounds of eight";
  EXPECT_EQ(fastest({{10, 12, 9, 14, 10, 11, 13, 9}, {9, 11, 8, 13, 12, 10, 12, 8}}), 1U) << "seven rounds of eight";
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
