// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the memory of a policy, and the settings of the tuning file. Memory limits are exact to the byte, and
/// may differ between ranks.
#include <array>
#include <cstdlib>
#include <fstream>

#include "comm/agree.hpp"
#include "fft/resolved_options.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 3};  // fewer than four planes: some rank has none

struct Bands {
  std::vector<Miller> waves = share_of(waves_of_radius(1), true);
  std::vector<Complex> in = coefficients(waves, 7);

  SphereFft<Complex> plan(const FftOptions& options) const { return {MPI_COMM_WORLD, shape, waves, options}; }
  FftReport report(FftOptions options, int window, std::int64_t memory) const {
    options.policy.window = window;
    options.policy.memory = memory;
    return plan(options).report();
  }
};

/// Returns options with all exchange algorithms and decompositions.
std::vector<FftOptions> all_options() {
  std::vector<FftOptions> all;
  for (const Algorithm algorithm : ways_here()) {
    for (const auto decomposition : all_decompositions) {
      all.push_back({.policy = {.algorithm = algorithm}, .decomposition = decomposition});
    }
  }
  return all;
}

std::string bytes_of_rank_0(std::int64_t bytes) {
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return std::to_string(bytes);
}

TEST(Memory, BandsInFlightAreAsManyAsItHasRoomFor) {
  const Bands bands;
  for (const FftOptions& options : all_options()) {
    SCOPED_TRACE(std::string(name_of(options.policy.algorithm)) + " " + name_of(options.decomposition));
    const std::int64_t one = bands.report(options, 1, 0).memory, two = bands.report(options, 2, 0).memory,
                       three = bands.report(options, 3, 0).memory;
    for (const auto& [allowed, window, taken] :
         {std::tuple{three, 3, three}, {three - 1, 2, two}, {two, 2, two}, {two - 1, 1, one}, {one, 1, one}}) {
      const FftReport report = bands.report(options, 3, allowed);
      EXPECT_EQ(report.window, window);
      EXPECT_EQ(report.memory, taken);
    }
    EXPECT_EQ(bands.report(options, 3, 5 * three).window, 3);
    compared(11);
    expect_error(Fault::bad_argument,
                 "a window of one band needs " + bytes_of_rank_0(one) + " bytes on rank 0, which exceeds",
                 [&] { bands.report(options, 3, one - 1); });
  }
}

/// The rank with the lowest limit decides for all, and the message reports its need.
TEST(Memory, OfEachRankIsItsOwn) {
  const Bands bands;
  const bool last = rank() == ranks() - 1;
  const FftOptions options{.policy = {.algorithm = Algorithm::alltoallv}};
  const std::int64_t one = bands.report(options, 1, 0).memory, three = bands.report(options, 3, 0).memory;
  EXPECT_EQ(bands.report(options, 3, last ? three - 1 : 0).window, 2);
  compared();
  expect_error(Fault::bad_argument, "bytes on rank " + std::to_string(ranks() - 1) + ", which exceeds the limit of ",
               [&] { bands.report(options, 3, last ? one - 1 : 0); });
}

TEST(Memory, ALimitedPlanTransformsAsOthersDo) {
  const Bands bands;
  std::vector<Complex> want = bands.in, out(want.size());
  for (Complex& value : want) value *= 2;
  for (FftOptions options : all_options()) {
    options.policy.window = 5;
    options.policy.memory = bands.report(options, 2, 0).memory;
    bands.plan(options).round_trip(bands.in, out, 7, double_values);
    expect_close<Complex>(out, want, 1e-12);
  }
}

TEST(Memory, OfAFieldIsAllOrNothingAndLeavesChunksAsTheyAre) {
  const bool last = rank() == ranks() - 1;
  for (FftOptions options : all_options()) {
    options.chunks = {1, 1, 1};
    const FftReport free = DenseFft<Complex>(MPI_COMM_WORLD, shape, options).report();
    if (bounds(Communicator(MPI_COMM_WORLD), free.memory).first == 0) continue;  // no limit of a rank is smaller
    options.policy.memory = free.memory;
    EXPECT_EQ(DenseFft<Complex>(MPI_COMM_WORLD, shape, options).report().memory, free.memory);
    compared();
    options.policy.memory -= last ? 1 : 0;
    expect_error(Fault::bad_argument, " bytes on rank " + std::to_string(ranks() - 1) + ", which exceeds the limit of ",
                 [&] { DenseFft<Complex>(MPI_COMM_WORLD, shape, options); });
  }
}

/// A tuning file with settings for plans of `shape`, with the default number of band groups.
class TuningFile : public ::testing::Test {
 protected:
  TuningFile() { ::setenv("SEICHE_TUNING", path.c_str(), 1); }
  ~TuningFile() override { ::setenv("SEICHE_TUNING", "none", 1); }

  void write(const Settings& settings) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::string sphere = sphere_transform(comm, shape, std::ssize(bands.waves), 'C');
    const std::array keys{tuned_case(comm, dense_transform(shape, 'C'), 1, 1), tuned_case(comm, sphere, 1, 1)};
    for (const std::string& key : keys) {
      if (rank() == 0) write_tuning(path, key, settings);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /// Creates new plans of both kinds. Returns their reports.
  std::array<FftReport, 2> reports(const FftOptions& options = {}) {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    std::array<FftReport, 2> both;
    {
      const DenseFft<Complex> dense(fresh, shape, options);
      const SphereFft<Complex> sphere(fresh, shape, bands.waves, options);
      const auto r = static_cast<std::size_t>(rank());
      EXPECT_EQ(dense.grid_box(), dense_grid_boxes(ranks(), shape)[r]) << "the file changed the distribution";
      EXPECT_EQ(sphere.grid_box(), sphere_grid_boxes(ranks(), shape)[r]) << "the file changed the distribution";
      EXPECT_EQ(sphere.bands_here(12), 12);
      both = {dense.report(), sphere.report()};
    }
    MPI_Comm_free(&fresh);
    return both;
  }

  Bands bands;
  ScratchDirectory scratch;
  std::string path = scratch.file("tuning.json");
};

TEST_F(TuningFile, SettingsAreUsedButLayoutsAreNot) {
  for (const FftReport& report : reports()) expect_equal(report.tuning, std::string("none"));
  write(
      {{"algorithm", "pairwise"}, {"window", "2"}, {"memory", "1"}, {"decomposition", "pencil"}, {"band_groups", "2"}});
  for (const FftReport& report : reports()) {
    expect_equal(report.tuning, std::string("used"));
    EXPECT_EQ(report.algorithm, "pairwise");
    EXPECT_EQ(report.band_groups, 1);
    compared(2);
  }
  EXPECT_EQ(reports()[1].window, 2);
  for (const FftReport& report : reports({.policy = {.algorithm = Algorithm::alltoallv}}))
    expect_equal(report.tuning, std::string("none"));
}

TEST_F(TuningFile, UnusableSettingsAreIgnored) {
  std::vector<Settings> unusable{{{"window", "3000000000"}}, {{"window", "2000000000"}}, {{"window", "-1"}},
                                 {{"window", "nan"}},        {{"algorithm", "pigeon"}},  {{"algorithm", ""}},
                                 {{"progress", "some"}},     {{"library", "nosuch"}},    {{"chunks", "0,1"}},
                                 {{"chunks", "70000"}},      {{"chunks", "1,x"}}};
  if (ranks() > 1) unusable.push_back({{"algorithm", "local"}});
  for (const LineLibrary library : all_line_libraries) {
    if (!is_usable(library)) unusable.push_back({{"library", name_of(library)}});
  }
  for (Settings settings : unusable) {
    if (settings.count("algorithm") == 0) settings["algorithm"] = "alltoallv";
    write(settings);
    SCOPED_TRACE(settings.begin()->first + " " + settings.begin()->second);
    for (const FftReport& report : reports()) {
      EXPECT_EQ(report.tuning.rfind("ignored: ", 0), 0U) << report.tuning;
      EXPECT_EQ(report.algorithm, "shared");
      EXPECT_EQ(report.library, name_of(line_library()));
      compared(3);
    }
  }
}

TEST_F(TuningFile, DamagedFilesAreIgnored) {
  for (const char* content : {"", "[1,2]", R"({"a": )"}) {
    if (rank() == 0) {
      write_tuning(path + ".other", "toy", {});  // forgets the cached contents
      std::ofstream(path) << content;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (const FftReport& report : reports())
      expect_equal(report.tuning, "ignored: " + path +
                                      " is not a tuning file: remove it, or set SEICHE_TUNING to "
                                      "another file");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(TuningFile, TheVariableTakesPrecedence) {
  const auto here = line_libraries_here();
  const bool last = rank() == ranks() - 1;
  for (const LineLibrary of_file : all_line_libraries) {
    write({{"algorithm", "pairwise"}, {"library", name_of(of_file)}});
    ::setenv("SEICHE_FFT", name_of(here.front()).c_str(), 1);
    for (const FftReport& report : reports()) {
      EXPECT_EQ(report.tuning, "used");
      EXPECT_EQ(report.library, name_of(here.front()));
      compared(2);
    }
    if (last) ::unsetenv("SEICHE_FFT");  // the last rank alone reads the library of the file
    const bool usable = is_usable(of_file);
    for (const FftReport& report : reports()) {
      EXPECT_EQ(report.tuning.substr(0, 4), usable ? "used" : "igno");
      EXPECT_EQ(report.library, name_of(!last ? here.front() : usable ? line_library(of_file) : line_library()));
      compared(2);
    }
    ::unsetenv("SEICHE_FFT");
  }
}

}  // namespace
}  // namespace seiche::testing
