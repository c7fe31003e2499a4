// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who runs a plan of FFTW-MPI's, by seconds that the test sets, which differ between ranks: all agree.
#include "../trial.hpp"

#include <fftw3.h>

#include "our_plan.hpp"
#include "support/mpi_test.hpp"

namespace seiche::fftw_mpi {
namespace {

using integrations::Trial;
using testing::compared;

/// Seconds of which rank `slowest` takes all, and the others take half.
double seconds_here(double seconds, int slowest) { return testing::rank() == slowest ? seconds : seconds / 2; }

/// The execution after which turns begin, where each takes so many seconds.
int begins_after(double seconds) {
  Trial trial;
  for (int execution = 1; execution < 1000; ++execution) {
    if (trial.begins(seconds_here(seconds, testing::ranks() - 1), MPI_COMM_WORLD)) return execution;
  }
  return 0;
}

/// Whether ours wins, where its turns and FFTW's take so many seconds.
bool ours_wins(double ours, double theirs) {
  Trial trial;
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_FALSE(trial.over());
    EXPECT_EQ(trial.ours(), turn % 2 == 0);
    trial.took(trial.ours() ? seconds_here(ours, 0) : seconds_here(theirs, testing::ranks() - 1), MPI_COMM_WORLD);
  }
  EXPECT_TRUE(trial.over());
  compared(11);
  return trial.ours();
}

/// Processes ask each other after 32, 64 ... executions whether the slowest has spent its second. Ten turns follow,
/// which do not pay after fewer executions.
TEST(Trial, BeginsWhenASecondIsSpent) {
  EXPECT_EQ(begins_after(1), 32);
  EXPECT_EQ(begins_after(0.03125), 32);
  EXPECT_EQ(begins_after(0.03124), 64);
  EXPECT_EQ(begins_after(0.0156), 128);
  EXPECT_EQ(begins_after(0.0001), 0);
  compared(5);
}

TEST(Trial, TheQuickerWayWins) {
  EXPECT_TRUE(ours_wins(1, 1.25));
  EXPECT_TRUE(ours_wins(1, 1));
  EXPECT_FALSE(ours_wins(1.25, 1));
}

/// What either makes at its first turn is not held against it.
TEST(Trial, FirstTurnsDoNotCount) {
  Trial trial;
  trial.took(100, MPI_COMM_WORLD);
  trial.took(0, MPI_COMM_WORLD);
  while (!trial.over()) trial.took(trial.ours() ? 1 : 2, MPI_COMM_WORLD);
  EXPECT_TRUE(trial.ours());
  compared();
}

/// The value of a variable that the last rank sets.
integrations::Use set_to(const char* value) {
  constexpr const char* variable = "SEICHE_OF_TRIAL_TEST";
  setenv(variable, testing::rank() == testing::ranks() - 1 ? value : "always", 1);
  const auto use = integrations::use_of(variable, MPI_COMM_WORLD);
  unsetenv(variable);
  compared();
  return use;
}

TEST(Trial, OneRankSwitchesSeicheOffOnAllRanks) {
  using integrations::Use;
  EXPECT_EQ(set_to("never"), Use::never);
  EXPECT_EQ(set_to("always"), Use::always);
  EXPECT_EQ(set_to(""), Use::trial);
  EXPECT_EQ(set_to("sometimes"), Use::trial);
  EXPECT_EQ(integrations::use_of("SEICHE_NOT_SET", MPI_COMM_WORLD), Use::trial);
}

/// Whether ours runs a plan after its trial, in which its turns and FFTW's take so many seconds.
bool ours_runs_after(double ours, double theirs) {
  const std::array<std::ptrdiff_t, 3> n{4, 5, 6};
  const Problem problem{Kind::c2c, 3, n.data(), 1, 0, 0, nullptr, nullptr, MPI_COMM_WORLD, -1, FFTW_ESTIMATE};
  OurPlan<double> plan(problem, served(problem).value());
  plan.try_later();
  for (int execution = 0; execution < 32; ++execution) {
    EXPECT_FALSE(plan.ours());
    plan.took(0.5);
  }
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_EQ(plan.ours(), turn % 2 == 0);
    plan.took(plan.ours() ? ours : theirs);
  }
  const bool verdict = plan.ours();
  plan.took(1);
  EXPECT_EQ(plan.ours(), verdict);  // for good
  compared(43);
  return verdict;
}

TEST(Trial, ItsVerdictRunsThePlan) {
  EXPECT_TRUE(ours_runs_after(1, 2));
  EXPECT_FALSE(ours_runs_after(2, 1));
}

}  // namespace
}  // namespace seiche::fftw_mpi
