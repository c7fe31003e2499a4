// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the memory and window of a policy. Memory limits are exact to the byte, and may differ between ranks.
#include "support/bands.hpp"
#include "support/transforms.hpp"

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
    expect_error(Fault::bad_argument, "exceeds the limit of -1: use more processes or a higher limit",
                 [&] { bands.report(options, 3, -1); });
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
    if (free.memory > 0) options.policy.memory = free.memory;
    EXPECT_EQ(DenseFft<Complex>(MPI_COMM_WORLD, shape, options).report().memory, free.memory);
    compared();
    options.policy.memory -= last ? 1 : 0;
    expect_error(Fault::bad_argument, " bytes on rank " + std::to_string(ranks() - 1) + ", which exceeds the limit of ",
                 [&] { DenseFft<Complex>(MPI_COMM_WORLD, shape, options); });
  }
}

TEST(Window, OfLessThanNothingIsRefused) {
  expect_error(Fault::bad_argument, "the window of a policy must not be negative (got -2)",
               [] { Bands().report({}, -2, 0); });
}

}  // namespace
}  // namespace seiche::testing
