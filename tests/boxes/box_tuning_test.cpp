// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the tuning of box exchanges, and calls that use the settings of the tuning file.
#include <cstdlib>
#include <map>

#include "boxes/box_cases.hpp"
#include "trace/mpi_profile.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{6, 5, 48};
const TuneRequest short_request{.budget = 0.02, .skew = 0};

/// Planes of this rank, and the same planes with `halo` planes more on each side.
struct Planes {
  FieldArray source, target;
  explicit Planes(std::int64_t halo = 1) {
    Box mine = whole(shape);
    mine.axis[2] = block(shape.nz, ranks(), rank());
    Box wider = mine;
    wider.axis[2] = {mine.axis[2].low - halo, mine.axis[2].high + halo};
    source = consecutive(mine);
    target = consecutive(wider);
  }
  BoxExchange exchange(const Policy& policy = {}) const {
    return BoxExchange(MPI_COMM_WORLD, shape, {&source, 1}, {&target, 1}, {.policy = policy});
  }
};

template <class T>
TuneReport<BoxOptions> tuned(const Planes& planes = Planes(), std::int64_t fields = 1) {
  return tune_boxes<T>(MPI_COMM_WORLD, shape, {&planes.source, 1}, {&planes.target, 1}, fields, short_request);
}

/// Runs copy(), compares the values with those of the grid, and returns the numbers of MPI calls by name.
template <class T>
std::map<std::string, std::int64_t> calls_of(BoxExchange& exchange, std::int64_t fields = 1) {
  const Planes planes;
  const auto size_of = [&](const FieldArray& array) { return static_cast<std::size_t>(array.box.volume() * fields); };
  const auto in = array_with<T>(shape, {planes.source}, fields, size_of(planes.source), T());
  const auto want = array_with<T>(shape, {planes.target}, fields, size_of(planes.target), T());
  std::vector<T> out(want.size());
  exchange.copy<T>(in, out, fields);  // reads the tuning file and makes buffers
  mpi_profile::start_counting();
  exchange.copy<T>(in, out, fields);
  auto calls = mpi_profile::counts();
  expect_equal(out, want);
  return calls;
}

class BoxTuning : public ::testing::Test {
 protected:
  BoxTuning() { ::setenv("SEICHE_TUNING", path.c_str(), 1); }
  ~BoxTuning() override { ::setenv("SEICHE_TUNING", "none", 1); }
  void write(const std::string& tuned_case, const Settings& settings) const {
    MPI_Barrier(MPI_COMM_WORLD);  // all ranks have read the file
    if (rank() == 0) write_tuning(path, tuned_case, settings);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ScratchDirectory scratch;
  std::string path = scratch.file("tuning.json");
};

TEST_F(BoxTuning, WritesTheFastestSettings) {
  const auto report = tuned<double>();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(tuned_cases().at(report.tuned_case), settings_of(report.options.policy));
  EXPECT_EQ(report.options.policy.memory, 0);
  EXPECT_EQ(report.trials.front().settings, "alltoallv");
  EXPECT_GE(report.trials.size(), 8U);
  for (const Trial& trial : report.trials) EXPECT_GE(trial.rounds, 3) << trial.settings;
  BoxExchange exchange = Planes().exchange();
  calls_of<double>(exchange);
  expect_equal(exchange.report().algorithm, std::string(name_of(report.options.policy.algorithm)));
}

/// Each kind of values and each decade of fields has its own settings, also in one exchange.
TEST_F(BoxTuning, CallsUseTheSettingsOfTheirCase) {
  const auto of_doubles = tuned<double>().tuned_case, of_floats = tuned<float>().tuned_case,
             of_many = tuned<double>(Planes(), 12).tuned_case;
  write(of_doubles, {{"algorithm", "alltoallv"}, {"progress", "none"}, {"window", "1"}});
  write(of_floats, {{"algorithm", "ialltoallv"}, {"progress", "none"}, {"window", "2"}});
  write(of_many, {{"algorithm", "alltoall"}, {"progress", "none"}, {"window", "1"}});
  BoxExchange exchange = Planes().exchange(), fixed = Planes().exchange({.algorithm = Algorithm::pairwise});
  expect_equal(exchange.report().algorithm, std::string("shared"));
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto calls = calls_of<double>(exchange);
    expect_equal(exchange.report().algorithm, std::string("alltoallv"));
    EXPECT_GT(calls["MPI_Alltoallv"], 0);
    calls = calls_of<float>(exchange);
    expect_equal(exchange.report().algorithm, std::string("ialltoallv"));
    EXPECT_GT(calls["MPI_Ialltoallv"], 0);
    EXPECT_EQ(calls["MPI_Alltoallv"], 0);
    calls_of<double>(exchange, 12);
    expect_equal(exchange.report().algorithm, std::string("alltoall"));
    calls = calls_of<double>(fixed);
    expect_equal(fixed.report().algorithm, std::string("pairwise"));
    EXPECT_EQ(calls["MPI_Alltoallv"], 0) << "the caller's algorithm takes precedence";
  }
}

/// Two calls in flight with different settings.
TEST_F(BoxTuning, StartedCallsKeepTheirSettings) {
  write(tuned<double>().tuned_case, {{"algorithm", "pairwise"}, {"window", "2"}});
  write(tuned<float>().tuned_case, {{"algorithm", "ialltoallv"}, {"window", "2"}});
  const Planes planes;
  BoxExchange exchange = planes.exchange();
  const auto here = static_cast<std::size_t>(planes.source.box.volume()),
             wide = static_cast<std::size_t>(planes.target.box.volume());
  std::vector<double> doubles(here, 3), to_doubles(wide);
  std::vector<float> floats(here, 4), to_floats(wide);
  Pending first = exchange.start_copy<double>(doubles, to_doubles);
  Pending second = exchange.start_copy<float>(floats, to_floats);
  first.finish();
  second.finish();
  expect_equal(to_doubles, std::vector<double>(wide, 3));
  expect_equal(to_floats, std::vector<float>(wide, 4));
}

/// A limit of memory below 1 MiB changes the order of sums, so the limit of the file is not used.
TEST_F(BoxTuning, SumsDoNotDependOnTheFile) {
  const GridShape rows{32768, 1, ranks()};
  const auto part_of_row = [&](std::int64_t row, std::int64_t end) {
    return consecutive({{Range{0, end}, Range{0, 1}, Range{row, row + 1}}});
  };
  const FieldArray source = part_of_row(rank(), rows.nx);
  const std::int64_t width = rows.nx / (ranks() - rank());  // ranks divide their targets into parts differently
  std::vector<FieldArray> target;
  for (int row = 0; row < ranks(); ++row) {
    target.push_back(part_of_row(row, width));
    target.back().offset = row * width;
  }
  const auto sums = [&](const Policy& policy) {
    BoxExchange exchange(MPI_COMM_WORLD, rows, {&source, 1}, target, {.policy = policy});
    std::vector<float> values(static_cast<std::size_t>(width * ranks())),
        into(static_cast<std::size_t>(rows.nx), 1e-3F);
    Random random(static_cast<unsigned>(rank()));
    for (float& value : values) value = 1.0F / static_cast<float>(random(1, 100000));
    exchange.add_back<float>(values, into);
    return std::pair(into, exchange.report().algorithm);
  };
  const auto [before, by_rule] = sums({});
  const auto key = tune_boxes<float>(MPI_COMM_WORLD, rows, {&source, 1}, target, 1, short_request).tuned_case;
  write(key, {{"algorithm", "pairwise"}, {"progress", "poll"}, {"window", "5"}, {"memory", "1000"}});
  const auto [after, algorithm] = sums({});
  expect_equal(algorithm, std::string("pairwise"));
  expect_equal(after, before);
  const bool other = sums({.memory = 1000}).first != before;
  EXPECT_TRUE(other || ranks() < 3);
}

TEST_F(BoxTuning, KeysContainTheSizes) {
  const std::string one = tuned<double>(Planes(), 1).tuned_case;
  // a rank of several sends two planes of 30 points, 480 bytes, and keeps its own planes
  const std::string sent = ranks() == 1   ? "1e0 bytes for 0 ranks and 1e4 bytes that stay"
                           : ranks() == 2 ? "1e2 bytes for 1 ranks and 1e3 bytes that stay"
                                          : "1e2 bytes for 2 ranks and 1e3 bytes that stay";
  EXPECT_EQ(one.rfind("boxes with " + sent + ", 1e0 fields of 8-byte values, ", 0), 0U) << one;
  EXPECT_EQ(tuned<double>(Planes(), 9).tuned_case, one);
  EXPECT_EQ(tuned<std::complex<float>>().tuned_case, one);
  EXPECT_NE(tuned<double>(Planes(), 10).tuned_case, one);
  EXPECT_NE(tuned<float>().tuned_case, one);
  EXPECT_NE(tuned<double>(Planes(400)).tuned_case, one);
  compared(6);
}

TEST_F(BoxTuning, IgnoresInvalidSettings) {
  const auto key = tuned<double>().tuned_case;
  const auto use_of = [&](const Settings& settings) {
    write(key, settings);
    BoxExchange exchange = Planes().exchange();
    calls_of<double>(exchange);
    const BoxReport report = exchange.report();
    EXPECT_EQ(report.algorithm, report.tuning == "used" ? "alltoallv" : "shared");
    return report.tuning;
  };
  expect_equal(use_of({{"algorithm", "pigeon"}}).substr(0, 45),
               std::string("ignored: unknown exchange algorithm 'pigeon':"));
  expect_equal(use_of({{"algorithm", "pairwise"}, {"window", "wide"}}),
               std::string("ignored: 'wide' is not a valid number for window: tune again"));
  expect_equal(use_of({{"algorithm", "pairwise"}, {"window", "2000000000"}}).substr(0, 32),
               std::string("ignored: the window of a policy "));
  expect_equal(use_of({{"algorithm", "alltoallv"}}), std::string("used"));
  for (const TuneRequest& invalid : {TuneRequest{.budget = -1}, TuneRequest{.budget = std::nan("")}}) {
    expect_error(Fault::bad_argument, "tuning needs a budget and a skew that are not negative", [&] {
      const Planes planes;
      tune_boxes<double>(MPI_COMM_WORLD, shape, {&planes.source, 1}, {&planes.target, 1}, 1, invalid);
    });
  }
  expect_error(Fault::bad_argument, "boxes: tuning needs at least one field (got 0)",
               [&] { tuned<double>(Planes(), 0); });
  expect_error(Fault::bad_argument, "of a target box", [&] {
    const Planes planes;
    tune_boxes<double>(MPI_COMM_WORLD, shape, {}, {&planes.target, 1}, 1, short_request);
  });
  if (ranks() == 1) return;
  expect_error(Fault::bad_argument, "tune_boxes: fields is 2 on rank 1, but 1 on rank 0",
               [&] { tuned<double>(Planes(), rank() == 0 ? 1 : 2); });
}

}  // namespace
}  // namespace seiche::testing
