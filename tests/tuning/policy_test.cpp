// SPDX-License-Identifier: BSD-3-Clause
/// \file  Policies and the tuning file: what is taken from it, what is tried, and how tuning goes from the first trials
/// to what it writes, by a clock that the test sets.
#include "tuning/policy.hpp"

#include <cstdlib>

#include "comm/node.hpp"
#include "support/mpi_test.hpp"
#include "tuning/tuner.hpp"

namespace seiche {

/// Work that takes so many seconds.
struct Toy {
  int seconds = 0;
  Policy policy{};
};
Settings settings_of(const Toy& toy) {
  Settings settings = settings_of(toy.policy);
  settings["seconds"] = std::to_string(toy.seconds);
  return settings;
}

namespace testing {
namespace {

TEST(Policy, IsReadAsItWasWritten) {
  const Policy one{Algorithm::two_level, Progress::none, 5, 4'000'000}, other{Algorithm::shared, Progress::poll, 1, 0};
  for (const Policy& policy : {one, other}) EXPECT_EQ(with({}, settings_of(policy)), policy);
  EXPECT_EQ(settings_of(other).count("memory"), 0U);
  EXPECT_EQ(with(other, settings_of(one)), (Policy{Algorithm::shared, Progress::poll, 1, 4'000'000}));
  EXPECT_EQ(with({}, {}), Policy{});
  compared(5);
}

TEST(Policy, OfTheFileMustMeanSomething) {
  for (const char* window : {"three", "-3", "2.5", "", "4 "}) {
    expect_error(Fault::bad_file, "is not a valid number for window: remove the file, or tune again", [&] {
      with({}, {{"window", window}});
    });
  }
  expect_error(Fault::bad_argument, "unknown exchange algorithm 'pigeon'", [] { with({}, {{"algorithm", "pigeon"}}); });
  expect_error(Fault::bad_argument, "unknown progress 'some'", [] { with({}, {{"progress", "some"}}); });
}

std::vector<std::string> names(const std::vector<Policy>& policies) {
  std::vector<std::string> all;
  for (const Policy& policy : policies) {
    all.push_back(std::string(name_of(policy.algorithm)) + std::to_string(policy.window));
  }
  return all;
}

TEST(Policy, TriedFirstAreThoseOfTheseNodes) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  using Names = std::vector<std::string>;
  expect_equal(names(first_policies(comm, 1)), Names{"alltoallv1", "shared1", "alltoall1", "pairwise1", "ialltoallv1"});
  expect_equal(names(first_policies(comm, 3)),
               Names{"alltoallv1", "shared1", "alltoall1", "pairwise1", "pairwise3", "ialltoallv1", "ialltoallv3"});
  if (ranks() < 3) return;
  set_ranks_per_node(2);
  expect_equal(names(first_policies(comm, 3)),
               Names{"alltoallv1", "two_level3", "alltoall1", "pairwise1", "pairwise3", "ialltoallv1", "ialltoallv3"});
  set_ranks_per_node(1);
  expect_equal(names(first_policies(comm, 1)), Names{"alltoallv1", "alltoall1", "pairwise1", "ialltoallv1"});
  set_ranks_per_node(0);
}

TEST(Policy, IsVariedInOneSetting) {
  const Policy policy{Algorithm::pairwise, Progress::poll, 3, 0};
  const auto all = varied(policy, {1, 3, 5});
  EXPECT_GE(all.size(), 3U);  // a fourth by a thread, where MPI was started for it
  for (const Policy& one : all) {
    EXPECT_EQ(one.algorithm, policy.algorithm);
    EXPECT_EQ((one.progress != policy.progress) + (one.window != policy.window), 1);
  }
  EXPECT_EQ(all.back().window, 5);
  compared(static_cast<std::int64_t>(all.size()));
}

/// Tunes toys by their own clock.
struct ToyShop {
  double now = 0;
  std::vector<double> shown;
  std::vector<int> variations_of;

  TuneReport<Toy> tune() {
    const Communicator comm = Communicator(MPI_COMM_WORLD);
    Tunable<Toy> work;
    work.tuned_case = "toy";
    work.first = {{10, {Algorithm::alltoallv}}, {9, {Algorithm::pairwise}}, {30, {Algorithm::alltoall}}};
    work.variations = [this](const Toy& winner) {
      variations_of.push_back(winner.seconds);
      return std::vector<Toy>{{11, winner.policy}, {7, winner.policy}};
    };
    work.make_run = [this](const Toy& toy) { return [this, toy] { now += toy.seconds; }; };
    TuneRequest request{.budget = 1000, .skew = 0};
    request.on_progress = [this](double done) { shown.push_back(done); };
    return seiche::tune<Toy>(comm, work, request, [this] { return now; });
  }
};

TEST(Tune, GoesFromTheFirstToVariationsOfTheWinner) {
  const ScratchDirectory scratch;
  ::setenv("SEICHE_TUNING", scratch.file("tuning.json").c_str(), 1);
  ToyShop shop;
  const auto report = shop.tune();
  EXPECT_EQ(report.options.seconds, 7);
  expect_equal(shop.variations_of, {9});
  std::vector<std::string> tried;
  for (const Trial& trial : report.trials) tried.push_back(trial.settings);
  expect_equal(tried, {"alltoallv", "pairwise, seconds 9", "alltoall, seconds 30", "pairwise, seconds 9",
                       "pairwise, seconds 11", "pairwise, seconds 7"});
  EXPECT_EQ(report.trials[2].rounds, 3) << "hopeless";
  EXPECT_EQ(report.trials[1].seconds, 9);
  MPI_Barrier(MPI_COMM_WORLD);
  const Settings kept = tuned_cases().at("toy");
  expect_equal(kept, settings_of(report.options));
  EXPECT_TRUE(std::is_sorted(shop.shown.begin(), shop.shown.end()));
  EXPECT_LE(shop.shown.back(), 1);
  EXPECT_GT(shop.shown.back(), 0.9);
  ::setenv("SEICHE_TUNING", "none", 1);
  expect_error(Fault::unwritable, "no path for the tuning file", [] { ToyShop().tune(); });
}

}  // namespace
}  // namespace testing
}  // namespace seiche
