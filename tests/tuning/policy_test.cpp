// SPDX-License-Identifier: BSD-3-Clause
/// \file  Policies and the tuning file: what is taken from it, what is tried, and how tuning goes from the first trials
/// to what it writes, by a clock that the test sets.
#include "tuning/policy.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/mpi_test.hpp"
#include "support/topology.hpp"
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
  for (Policy policy : {one, other}) {
    const Policy read = with({}, settings_of(policy));
    policy.memory = 0;  // a limit of the file would make other work fail
    EXPECT_EQ(read, policy);
  }
  EXPECT_EQ(settings_of(one).at("memory"), "4000000");
  EXPECT_EQ(settings_of(other).count("memory"), 0U);
  EXPECT_EQ(with(other, settings_of(one)), other);
  EXPECT_EQ(with({}, {}), Policy{});
  compared(6);
}

TEST(Policy, SettingsOfTheFileAreChecked) {
  for (const char* window : {"three", "-3", "2.5", "", "4 ", "nan", "inf", "1e300", "2147483648", "3000000000"}) {
    expect_error(Fault::bad_file, std::string("'") + window + "' is not a valid number for window: tune again", [&] {
      with({}, {{"window", window}});
    });
  }
  EXPECT_EQ(number_in({{"bytes", "9007199254740991"}}, "bytes", 1LL << 60), (1LL << 53) - 1);
  EXPECT_EQ(number_in({{"bytes", "7"}}, "bytes", 7), 7);
  expect_error(Fault::bad_file, "'8' is not a valid number for bytes", [] { number_in({{"bytes", "8"}}, "bytes", 7); });
  expect_error(Fault::bad_argument, "unknown exchange algorithm 'pigeon'", [] { with({}, {{"algorithm", "pigeon"}}); });
  expect_error(Fault::bad_argument, "unknown progress 'some'", [] { with({}, {{"progress", "some"}}); });
}

/// Unusable settings of any rank are ignored on all ranks.
TEST(Policy, AdviceOfTheFileIsTakenOrIgnoredOnAllRanks) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const auto merged = [&](Advice& advice, const Policy& asked = {}) {
    return advised(comm, asked, advice, [&](const Settings& settings) {
      const Policy policy = with(asked, settings);
      require_sound(policy);
      return policy;
    });
  };
  Advice none, good{{{"algorithm", "pairwise"}, {"window", "3"}}}, large{{{"window", "4097"}}},
      local{{{"algorithm", "local"}}}, wrong{{{"window", "x"}}};
  EXPECT_EQ(merged(none), Policy{});
  EXPECT_EQ(none.use, "none");
  EXPECT_EQ(merged(good), (Policy{.algorithm = Algorithm::pairwise, .window = 3}));
  EXPECT_EQ(good.use, "used");
  EXPECT_EQ(merged(large), Policy{});
  EXPECT_EQ(large.use, "ignored: the window of a policy must be 0 to 4096 (got 4097)");
  EXPECT_EQ(merged(local).algorithm, ranks() == 1 ? Algorithm::local : Algorithm::automatic);
  EXPECT_EQ(local.use.substr(0, 8), ranks() == 1 ? "used" : "ignored:");
  const Policy of_last{.window = rank() == ranks() - 1 ? 0 : 2};  // only the last rank reads the window
  EXPECT_EQ(merged(wrong, of_last), of_last);
  EXPECT_EQ(wrong.use, "ignored: 'x' is not a valid number for window: tune again");
  EXPECT_TRUE(wrong.settings.empty());
  compared(11);
}

TEST(TuningFile, DamagedFilesAreIgnoredByReaders) {
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const ScratchDirectory scratch;
  int number = 0;
  for (const char* content : {"", "{", "[1, 2]", R"({"toy": 3})", R"({"toy": {"window": 3}})", "\xff\xfe"}) {
    const std::string path = scratch.file(std::to_string(number++));
    if (rank() == 0) std::ofstream(path) << content;
    ::setenv("SEICHE_TUNING", path.c_str(), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    const Advice advice = tuning_of(comm, "toy");
    EXPECT_TRUE(advice.settings.empty());
    EXPECT_EQ(advice.use,
              "ignored: " + path + " is not a tuning file: remove it, or set SEICHE_TUNING to another file");
    expect_error(Fault::bad_file, "is not a tuning file", [] { tuned_cases(); });
  }
  ::setenv("SEICHE_TUNING", scratch.path().c_str(), 1);
  EXPECT_NE(tuning_of(comm, "toy").use.find("is not a tuning file"), std::string::npos);
  ::setenv("SEICHE_TUNING", "none", 1);
  EXPECT_EQ(tuning_of(comm, "toy").use, "none");
  compared(2 + number);
}

TEST(TuningFile, KeepsTheCasesOfProcessesThatWriteAtTheSameTime) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("tuning.json");
  constexpr int each = 20;
  for (int n = 0; n < each; ++n) write_tuning(path, fmt::format("rank {}, case {}", rank(), n), {{"window", "3"}});
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read_tuning(path).size(), static_cast<std::size_t>(each * ranks()));
  compared();
}

TEST(TuningFile, NamesMayBeAnyBytes) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("tuning.json");
  if (rank() == 0) {
    write_tuning(path, "processor \xff", {{"window", "\xc3"}});
    write_tuning(path, "toy", {{"window", "3"}});
    EXPECT_EQ(read_tuning(path).size(), 2U);
    EXPECT_EQ(read_tuning(path).at("toy").at("window"), "3");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1) << "a temporary file is left";
  }
  const Communicator comm = Communicator(MPI_COMM_WORLD);
  const std::string key = tuned_case(comm, "toy", 2);
  EXPECT_EQ(key.rfind("toy, " + std::to_string(ranks()) + " ranks x 2 threads on 1 nodes, ", 0), 0U) << key;
  EXPECT_GE(std::count(key.begin(), key.end(), ','), 3) << "the processor is missing: " << key;
  compared(4);
}

TEST(Policy, InvalidRequestsForTuningAreRefused) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const TuneRequest& request : {TuneRequest{.budget = -1}, TuneRequest{.budget = nan}, TuneRequest{.skew = -1},
                                     TuneRequest{.skew = nan}, TuneRequest{.skew = infinity}}) {
    expect_error(Fault::bad_argument, "tuning needs a budget and a skew", [&] { require_sound(request); });
  }
  for (const TuneRequest& request : {TuneRequest{.bands = 0}, TuneRequest{.bands = -1},
                                     TuneRequest{.bands = 1'000'000'000'000}, TuneRequest{.band_groups = -1}}) {
    expect_error(Fault::bad_argument, "tuning needs 1 to 2147483647 bands", [&] { require_sound(request); });
  }
  expect_error(Fault::bad_argument, "the number of threads must be 1 to 4096 (got 0)",
               [] { require_sound(TuneRequest{.threads = 0}); });
  require_sound(TuneRequest{.budget = infinity, .skew = 0});
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
  {
    const EmulatedNodes nodes(2);
    expect_equal(names(first_policies(comm, 3)), Names{"alltoallv1", "two_level3", "alltoall1", "pairwise1",
                                                       "pairwise3", "ialltoallv1", "ialltoallv3"});
  }
  const EmulatedNodes nodes(1);
  expect_equal(names(first_policies(comm, 1)), Names{"alltoallv1", "alltoall1", "pairwise1", "ialltoallv1"});
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

  TuneReport<Toy> tune(bool with_layouts = false) {
    const Communicator comm = Communicator(MPI_COMM_WORLD);
    Tunable<Toy> work;
    work.tuned_case = "toy";
    work.first = {{10, {Algorithm::alltoallv}}, {9, {Algorithm::pairwise}}, {30, {Algorithm::alltoall}}};
    work.variations = [this](const Toy& winner) {
      variations_of.push_back(winner.seconds);
      return std::vector<Toy>{{11, winner.policy}, {7, winner.policy}};
    };
    work.make_run = [this](const Toy& toy) { return [this, toy] { now += toy.seconds; }; };
    if (with_layouts) work.layouts = [](const Toy& winner) { return std::vector<Toy>{{5, winner.policy}}; };
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
  const auto other = ToyShop().tune(true);
  EXPECT_EQ(other.options.seconds, 5) << "the fastest layout is reported";
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(tuned_cases().at("toy").at("seconds"), "7") << "layouts are not written";
  MPI_Barrier(MPI_COMM_WORLD);
  ::setenv("SEICHE_TUNING", "none", 1);
  expect_error(Fault::unwritable, "no path for the tuning file", [] { ToyShop().tune(); });
}

}  // namespace
}  // namespace testing
}  // namespace seiche
