// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests properties of plans besides correct values: the same bits for all exchange algorithms, and options.
#include <set>

#include "comm/check.hpp"
#include "fft/dense_case.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere_case.hpp"
#include "pipeline/pipeline.hpp"
#include "support/bands.hpp"
#include "support/topology.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

std::vector<FftOptions> ways_of_running() {
  std::vector<FftOptions> all;
  for (const Algorithm algorithm : ways_here()) {
    for (const Progress progress : {Progress::poll, Progress::thread, Progress::none}) {
      for (const int window : {1, 3, 5}) {
        all.push_back({.policy = {.algorithm = algorithm, .progress = progress, .window = window}, .threads = window});
      }
    }
  }
  return all;
}

std::string described(const FftOptions& o) {
  return std::string(name_of(o.policy.algorithm)) + " " + std::string(name_of(o.policy.progress)) + " window " +
         std::to_string(o.policy.window);
}

TEST(Plan, GivesTheSameBitsHoweverValuesAreMoved) {
  constexpr std::int64_t bands = 7;
  for (const bool sticks : {true, false}) {
    const auto waves = share_of(waves_of_radius(3), sticks);
    const auto in = coefficients(waves, bands);
    std::vector<Complex> first;
    for (const auto decomposition : all_decompositions) {
      first.clear();
      std::size_t way = 0;
      for (FftOptions options : ways_of_running()) {
        // the short suite takes some settings for each decomposition and distribution
        if (way++ % 4 != (sticks ? 1U : 3U) && !first.empty() && !long_suite()) continue;
        SCOPED_TRACE(described(options));
        options.decomposition = decomposition;
        options.library = LineLibrary::fftw;
        options.reproducible = true;
        SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, options);
        std::vector<Complex> out(in.size());
        fft.round_trip(in, out, bands, double_values);
        if (first.empty()) first = out;
        expect_equal(out, first);
      }
    }
  }
}

/// Each value of a rank's sticks must be sent, except values on its own planes. With band groups, all waves of bands of
/// other groups are sent.
TEST(Plan, LowerBoundIsWhatHasToTravel) {
  const auto waves = share_of(waves_of_radius(3), true);
  std::set<std::pair<int, int>> sticks;
  for (const Miller& wave : waves) sticks.insert({wave.x, wave.y});
  for (const int groups : {1, ranks()}) {
    const SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves,
                                 {.policy = {.algorithm = Algorithm::pairwise}, .band_groups = groups});
    const FftReport& report = fft.report();
    const std::int64_t of_sticks = std::ssize(sticks) * (shape.nz - fft.grid_box().size(2));
    EXPECT_EQ(report.band_groups, groups);
    EXPECT_EQ(report.bytes_lower_bound, groups == 1 ? 16 * of_sticks : 16 * std::ssize(waves) * (groups - 1) / groups);
    EXPECT_GE(report.bytes_sent, report.bytes_lower_bound);
    compared(3);
  }
}

/// A thread that calls MPI is refused to callers, and ignored in tuning files, if MPI was not initialized for threads.
TEST(Plan, AThreadNeedsMpisConsent) {
  if (threads_may_call_mpi()) GTEST_SKIP() << "MPI was started for threads; start the test with --one-thread";
  expect_error(Fault::unsupported, "progress 'thread' needs MPI_THREAD_SERIALIZED", [] {
    DenseFft<Complex>(MPI_COMM_WORLD, shape,
                      {.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread}});
  });
  const ScratchDirectory scratch;
  ::setenv("SEICHE_TUNING", scratch.file("tuning.json").c_str(), 1);
  const auto world = Communicator(MPI_COMM_WORLD);
  const auto tuned = tuned_case(world, dense_transform(shape, 'C'), 1, 1);
  if (rank() == 0) {
    write_tuning(scratch.file("tuning.json"), tuned,
                 {{"algorithm", "pairwise"}, {"progress", "thread"}, {"chunks", "1,1"}});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const DenseFft<Complex> fft(MPI_COMM_WORLD, shape);
  EXPECT_EQ(fft.report().algorithm, "pairwise");
  compared();
}

/// MPI_THREAD_SERIALIZED allows one thread at a time, so the progress thread must not call MPI during a callback.
TEST(Plan, AFunctionMayCallMpiBesideAThread) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "MPI was started for one thread";
  const Bands<Complex> of;
  std::vector<Complex> out(of.in.size());
  SphereFft<Complex> fft =
      of.plan({.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread, .window = 3}});
  mpi_profile::watch_threads();
  mpi_profile::start_counting();
  fft.round_trip(of.in, out, of.bands, [](std::int64_t band, const Box& box, const View<Complex>& values) {
    double_values(band, box, values);
    for (int i = 0; i < 50; ++i) {
      int one = 1;
      MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    }
  });
  EXPECT_EQ(mpi_profile::most_threads(), 1);
  expect_close<Complex>(out, times(of.in, 2), 1e-12);
}

TEST(Plan, ChunksOfOneTransformChangeNothing) {
  for (const auto decomposition : all_decompositions) {
    std::vector<Complex> first;
    for (const Algorithm algorithm : ways_here()) {
      for (const std::vector<int>& chunks :
           {std::vector<int>{1}, {3, 1}, {1, 1, 1, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
        DenseFft<Complex> fft(MPI_COMM_WORLD, shape,
                              {.policy = {.algorithm = algorithm},
                               .library = LineLibrary::fftw,
                               .decomposition = decomposition,
                               .reproducible = true,
                               .chunks = chunks});
        const auto grid = random_values(fft.grid_box().volume(), 5);
        std::vector<Complex> spectrum(static_cast<std::size_t>(fft.spectrum_box().volume()));
        fft.forward(grid, spectrum);
        if (first.empty()) first = spectrum;
        expect_equal(spectrum, first);
      }
    }
  }
}

/// With two ranks per node, one exchange of pencils stays inside the node. The decomposition selects which one.
TEST(Plan, EitherExchangeOfPencilsMayStayInsideANode) {
  const Bands<Complex> of({.spread = Spread::cyclic, .bands = 3});
  const EmulatedNodes nodes(2);
  for (const auto decomposition : all_decompositions) {
    const FftOptions options{.policy = {.algorithm = Algorithm::pairwise}, .decomposition = decomposition};
    SphereFft<Complex> sphere = of.plan(options);
    DenseFft<Complex> dense(MPI_COMM_WORLD, shape, options);
    if (ranks() >= 4) {
      EXPECT_EQ(sphere.report().decomposition, name_of(decomposition));
      EXPECT_EQ(dense.report().decomposition, name_of(decomposition));
    }
    expect_works(sphere, of);
    check_own_boxes(Grids<Wide>(shape, 1), options);
  }
}

/// Values sent as floats have a rounding error of half of the last digit at each of the two exchanges.
TEST(Plan, RoundedExchangesKeepTheirErrorBound) {
  constexpr std::int64_t bands = 3;
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, bands);
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::alltoallv, Algorithm::alltoall}) {
    SphereFft<Complex> exact(MPI_COMM_WORLD, shape, waves, {.policy = {.algorithm = algorithm}});
    SphereFft<Complex> rounded(MPI_COMM_WORLD, shape, waves,
                               {.policy = {.algorithm = algorithm}, .rounded_exchange = true});
    std::vector<Complex> want(in.size()), got(in.size());
    exact.round_trip(in, want, bands, double_values);
    rounded.round_trip(in, got, bands, double_values);
    expect_close<Complex>(got, want, 2e-6);
    const bool sends = rounded.report().bytes_sent > 0 && !in.empty();
    if (sends && algorithm == Algorithm::alltoallv) {
      EXPECT_NE(got, want) << "nothing was rounded";
    }
  }
}

TEST(Plan, KeepsTheExchangeOfCallersBoxes) {
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise}) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(waves_of_radius(3), true),
                           {.policy = {.algorithm = algorithm}});
    Box box = whole(shape);
    box.axis[1] = block(shape.ny, ranks(), rank());
    std::vector<double> values(static_cast<std::size_t>(box.volume()), 1 + rank()), sums(values.size());
    std::vector<double> here(static_cast<std::size_t>(fft.grid_box().volume()));
    const auto there_and_back = [&] {
      std::fill(sums.begin(), sums.end(), 0);
      fft.spread(box, values, here);
      fft.collect(here, box, sums);
      expect_equal(sums, values);
    };
    there_and_back();
    mpi_profile::start_counting();
    there_and_back();
    auto calls = mpi_profile::counts();
    EXPECT_EQ(calls["MPI_Allreduce"], 4);  // each call compares the boxes with those before, and agrees on errors
    EXPECT_EQ(calls.count("MPI_Allgather") + calls.count("MPI_Win_allocate_shared"), 0U);
    SphereFft<Complex>(MPI_COMM_WORLD, shape, share_of(waves_of_radius(3), true), {.policy = {.algorithm = algorithm}})
        .close();  // a plan with the same arguments; it shares and releases the memory of `fft`
    there_and_back();
  }
}

TEST(Plan, BandsWithoutWeightDoNotTravel) {
  const auto waves = share_of(waves_of_radius(3), false);
  const auto in = coefficients(waves, 6);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, {.policy = {.algorithm = Algorithm::pairwise, .window = 2}});
  std::vector<double> rho(static_cast<std::size_t>(fft.grid_box().volume()));
  const auto messages = [&](const std::vector<double>& weights) {
    mpi_profile::start_counting();
    fft.add_density(in, weights, 6, rho);
    return mpi_profile::counts()["MPI_Isend"];
  };
  const std::int64_t of_six = messages({1, 1, 1, 1, 1, 1});
  EXPECT_EQ(messages({1, 0, 0, 1, 0, 1}), of_six / 2);
  EXPECT_EQ(messages(std::vector<double>(6)), 0);
  compared(2);
}

TEST(Plan, RefusesMoreWavesThanOneMpiCallCarries) {
  constexpr int height = 60;
  std::vector<Miller> mine;  // one stick per rank, distributed over all ranks, so that each rank sends to each
  for (std::int32_t z = 0; z < height; ++z) {
    for (std::int32_t x = 0; x < ranks(); ++x) {
      if ((z + x) % ranks() == rank()) mine.push_back({x, 0, z - height / 2});
    }
  }
  const std::int64_t before = count_limit();
  set_count_limit(height - 1);
  const auto make = [&] { SphereFft<Complex>(MPI_COMM_WORLD, {16, 3, 64}, mine); };
  if (ranks() > 1) {
    expect_error(Fault::internal, "exceed the limit of one MPI call (59)", make);
  } else {
    EXPECT_NO_THROW(make());  // whole sticks are not sent
    compared();
  }
  set_count_limit(before);
}

/// Threads, progress and the memory limit may differ between ranks.
TEST(Plan, ThreadsProgressAndMemoryMayDiffer) {
  const bool last = rank() == ranks() - 1;
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise,
                                      .progress = last ? Progress::none : Progress::poll,
                                      .memory = last ? 0 : 100'000'000},
                           .threads = last ? 2 : 1};
  const Bands<Complex> of;
  SphereFft<Complex> sphere = of.plan(options);
  expect_works(sphere, of);
  check_own_boxes(Grids<Wide>(shape, 1), options);
}

}  // namespace
}  // namespace seiche::testing
