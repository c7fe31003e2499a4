// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that an error on one rank is thrown on all ranks, when a plan is created or used.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "comm/node.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

TEST(Faults, OfAUsersFunctionOnOneRankReachAll) {
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, 5);
  std::vector<Complex> out(in.size());
  for (const Algorithm algorithm : ways_here()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, {.policy = {.algorithm = algorithm, .window = 3}});
    const bool owns_points = fft.grid_box().volume() > 0;
    expect_error(Fault::internal, "the potential of band 2 is missing", [&] {
      fft.round_trip(in, out, 5, [&](std::int64_t band, const Box& box, const View<Complex>&) {
        if (band == 2 && owns_points && box.axis[2].low == 0)
          throw std::runtime_error("the potential of band 2 is missing");
      });
    });
    fft.round_trip(in, out, 5, double_values);  // the plan still works
    std::vector<Complex> want = in;
    for (Complex& value : want) value *= 2;
    expect_close<Complex>(out, want, 1e-12);
  }
}

TEST(Faults, OfMpiOnOneRankReachAll) {
  if (ranks() == 1) GTEST_SKIP() << "a fault on one of several ranks";
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, 5);
  std::vector<Complex> out(in.size());
  const std::vector<std::pair<Algorithm, std::string>> calls{{Algorithm::alltoallv, "MPI_Alltoallv"},
                                                             {Algorithm::alltoall, "MPI_Alltoall"},
                                                             {Algorithm::pairwise, "MPI_Isend"},
                                                             {Algorithm::two_level, "MPI_Isend"}};
  set_ranks_per_node(1);
  for (const auto& [algorithm, call] : calls) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, {.policy = {.algorithm = algorithm}});
    DenseFft<Complex> dense(MPI_COMM_WORLD, shape, {.policy = {.algorithm = algorithm}});
    auto field = dense.allocate();
    if (rank() == 1) mpi_profile::fail_next(call);
    expect_error(Fault::mpi, call + " failed: ", [&] { fft.round_trip(in, out, 5, double_values); });
    if (rank() == 1) mpi_profile::fail_next(call);
    expect_error(Fault::mpi, call + " failed: ", [&] { dense.forward(field); });
  }
  set_ranks_per_node(0);
}

/// A communicator without cached plans.
struct Fresh {
  MPI_Comm comm = MPI_COMM_NULL;
  Fresh() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  ~Fresh() { MPI_Comm_free(&comm); }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
};

/// Creates plans of all kinds, each of which must throw the same error on all ranks.
void expect_no_plan(Fault fault, const std::string& sentence, const FftOptions& options) {
  const Fresh fresh;
  const auto waves = share_of(waves_of_radius(3), true);
  Box planes = whole(shape);
  planes.axis[2] = block(shape.nz, ranks(), rank());
  const DenseArrays arrays{.grid = consecutive(planes), .spectrum = consecutive(planes)};
  expect_error(fault, sentence, [&] { DenseFft<Complex>(fresh.comm, shape, options); });
  expect_error(fault, sentence, [&] { DenseFft<Complex>(fresh.comm, shape, arrays, options); });
  expect_error(fault, sentence, [&] { SphereFft<Complex>(fresh.comm, shape, waves, options); });
}

TEST(Faults, OfLibrariesOnOneRankReachAll) {
  if (rank() == ranks() - 1) ::setenv("SEICHE_FFT", "fftpack", 1);
  expect_no_plan(Fault::bad_argument, "SEICHE_FFT ('fftpack')", {});
  ::unsetenv("SEICHE_FFT");
  for (const LineLibrary library : all_line_libraries) {
    if (is_here(library) || library == LineLibrary::fastest) continue;  // fastest is one of the others
    const FftOptions options{.library = rank() == ranks() - 1 ? library : line_library()};
    expect_no_plan(Fault::unsupported, "no library for 1D FFTs (" + name_of(library), options);
  }
}

TEST(Faults, ReproduciblePlansNeedOneLibrary) {
  const auto here = line_libraries_here();
  if (ranks() == 1 || here.size() < 2) GTEST_SKIP() << "needs two ranks and two libraries";
  const FftOptions options{.library = rank() == 0 ? here[0] : here[1], .reproducible = true};
  expect_no_plan(Fault::bad_argument, "fft: reproducible results need one 1D FFT library on all ranks (got ", options);
}

/// An option out of range, and a part of the error.
struct Invalid {
  const char* sentence;
  std::function<void(FftOptions&)> set;
};

std::vector<Invalid> invalid_options() {
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  std::vector<Invalid> all;
  for (const int threads : {0, -1, least, 4097, most})
    all.push_back({"the number of threads must be 1 to 4096", [=](FftOptions& o) { o.threads = threads; }});
  for (const int window : {-1, least, 4097, most})
    all.push_back({"the window of a policy must be 0 to 4096", [=](FftOptions& o) { o.policy.window = window; }});
  for (const std::int64_t memory : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()})
    all.push_back({"the memory of a policy must not be", [=](FftOptions& o) { o.policy.memory = memory; }});
  for (const int number : {-1, 7, 99}) {
    all.push_back({"unknown exchange algorithm (number ",
                   [=](FftOptions& o) { o.policy.algorithm = static_cast<Algorithm>(number); }});
    all.push_back({"unknown progress (", [=](FftOptions& o) { o.policy.progress = static_cast<Progress>(number); }});
    all.push_back({"unknown library (number ", [=](FftOptions& o) { o.library = static_cast<LineLibrary>(number); }});
    all.push_back({"unknown decomposition (number ",
                   [=](FftOptions& o) { o.decomposition = static_cast<Decomposition>(number); }});
    all.push_back({"unknown space (number ", [=](FftOptions& o) { o.space = static_cast<Space>(number); }});
  }
  for (const int components : {0, -1, 3, most})
    all.push_back({"the number of components must be 1, or 2", [=](FftOptions& o) { o.components = components; }});
  for (const int groups : {-1, least})
    all.push_back({"the number of band groups must not be", [=](FftOptions& o) { o.band_groups = groups; }});
  for (const int weight : {0, -1, 65537, most})
    all.push_back({"relative sizes of chunks must be positive", [=](FftOptions& o) { o.chunks = {1, weight}; }});
  return all;
}

TEST(Faults, InvalidOptionsAreRefusedOnAllRanks) {
  for (const Invalid& invalid : invalid_options()) {
    SCOPED_TRACE(invalid.sentence);
    FftOptions on_all, on_last;
    invalid.set(on_all);
    if (rank() == ranks() - 1) invalid.set(on_last);
    expect_no_plan(Fault::bad_argument, invalid.sentence, on_all);
    expect_no_plan(Fault::bad_argument, invalid.sentence, on_last);
  }
  DenseFft<Complex>(MPI_COMM_WORLD, shape,
                    {.policy = {.algorithm = Algorithm::pairwise, .window = 4096}, .chunks = {65536, 1}});
}

TEST(Faults, OptionsOfTheOtherKindOfPlanAreRefused) {
  const std::string dense = "fft: dense transforms have one component and one band group";
  for (const FftOptions& options : {FftOptions{.band_groups = 2}, FftOptions{.components = 2}}) {
    expect_error(Fault::bad_argument, dense, [&] { DenseFft<Complex>(MPI_COMM_WORLD, shape, options); });
    expect_error(Fault::bad_argument, dense, [&] { dense_grid_boxes(2, shape, options); });
  }
  const FftOptions chunks{.chunks = {1, 2}};
  const std::string sphere = "fft: transforms of spheres have no chunks (got 2)";
  expect_error(Fault::bad_argument, sphere, [&] { SphereFft<Complex>(MPI_COMM_WORLD, shape, {}, chunks); });
  expect_error(Fault::bad_argument, sphere, [&] { sphere_grid_boxes(2, shape, chunks); });
  for (const int none : {0, -1}) {
    expect_error(Fault::bad_argument, "fft: a grid needs at least one rank", [&] { sphere_grid_boxes(none, shape); });
    expect_error(Fault::bad_argument, "fft: a grid needs at least one rank", [&] { dense_grid_boxes(none, shape); });
  }
}

TEST(Faults, InvalidGridsAreRefusedOnAllRanks) {
  for (const GridShape& invalid :
       {GridShape{12, 10, 0}, {-1, 10, 15}, {1LL << 31, 1, 1}, {1LL << 32, 1LL << 32, 16}, {1'000'000'000'000, 1, 1}}) {
    for (const bool everywhere : {true, false}) {
      const GridShape mine = everywhere || rank() == ranks() - 1 ? invalid : shape;
      expect_error(Fault::bad_argument, "grid dimensions must be ", [&] { DenseFft<Complex>(MPI_COMM_WORLD, mine); });
      expect_error(Fault::bad_argument, "grid dimensions must be ",
                   [&] { SphereFft<Complex>(MPI_COMM_WORLD, mine, {}); });
      expect_error(Fault::bad_argument, "grid dimensions must be ", [&] { tune_dense<Complex>(MPI_COMM_WORLD, mine); });
    }
    expect_error(Fault::bad_argument, "grid dimensions must be ", [&] { dense_grid_boxes(2, invalid); });
    expect_error(Fault::bad_argument, "grid dimensions must be ", [&] { sphere_grid_boxes(2, invalid); });
  }
}

/// Candidates contain the default library of a rank.
TEST(Faults, OfTuningOnOneRankReachAll) {
  const bool last = rank() == ranks() - 1;
  const auto waves = share_of(waves_of_radius(3), true);
  const auto fails = [&](const std::string& sentence, const TuneRequest& request) {
    expect_error(Fault::bad_argument, sentence, [&] { tune_dense<Complex>(MPI_COMM_WORLD, shape, request); });
    expect_error(Fault::bad_argument, sentence, [&] { tune_sphere<Complex>(MPI_COMM_WORLD, shape, waves, request); });
  };
  if (last) ::setenv("SEICHE_FFT", "fftpack", 1);
  fails("SEICHE_FFT ('fftpack')", {});
  ::unsetenv("SEICHE_FFT");
  fails("tuning needs 1 to ", {.bands = last ? 0 : 1});
  fails("tuning needs a budget", {.budget = last ? std::nan("") : 1.0});
  fails("the number of threads must be 1 to ", {.threads = last ? 0 : 1});
}

TEST(Faults, OverlappingArraysAreRefused) {
  constexpr std::int64_t bands = 6;
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, bands);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves);
  std::vector<Complex> both = in;
  both.resize(in.size() + waves.size());
  const std::span<Complex> first = std::span(both).first(in.size()), later = std::span(both).last(in.size());
  const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()), 2);
  const std::string overlap = "fft: the input and output arrays overlap: pass separate arrays";
  expect_error(Fault::bad_argument, overlap, [&] { fft.round_trip(first, later, bands, double_values); });
  expect_error(Fault::bad_argument, overlap, [&] { fft.apply_potential(later, first, bands, potential); });
  std::vector<Complex> grid(static_cast<std::size_t>(fft.grid_box().volume() * bands) + in.size());
  const std::span<Complex> values = std::span(grid).first(grid.size() - in.size());
  expect_error(Fault::bad_argument, overlap, [&] { fft.backward(std::span(grid).first(in.size()), values, bands); });
  fft.apply_potential(first, first, bands, potential);  // one array is no error
  std::vector<Complex> want = in;
  for (Complex& value : want) value *= 2;
  expect_close<Complex>(std::vector<Complex>(first.begin(), first.end()), want, 1e-12);
}

/// An empty callback on one rank or on all.
TEST(Faults, EmptyCallbacksAreRefusedOnAllRanks) {
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, 2);
  std::vector<Complex> out(in.size()), want = in;
  for (Complex& value : want) value *= 2;
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves);
  const std::string empty = "fft: the callback is empty: pass a function";
  for (const bool everywhere : {true, false}) {
    const bool here = everywhere || rank() == ranks() - 1;
    const auto function = here ? SphereFft<Complex>::RealSpace() : double_values;
    const auto of_spinors =
        here ? SphereFft<Complex>::SpinorSpace() : [](std::int64_t, const Box&, std::span<const View<Complex>>) {};
    expect_error(Fault::bad_argument, empty, [&] { fft.round_trip(in, out, 2, function); });
    expect_error(Fault::bad_argument, empty, [&] { fft.round_trip_spinors(in, out, 2, of_spinors); });
    expect_error(Fault::bad_argument, empty, [&] { fft.start_round_trip(in, out, 2, function).finish(); });
    expect_error(Fault::bad_argument, empty, [&] { fft.backward(in, 2, function); });
    expect_error(Fault::bad_argument, empty, [&] { fft.to_grid_spinors(in, 2, of_spinors); });
    expect_error(Fault::bad_argument, empty, [&] {
      auto stream = fft.stream(function);
      stream.add(in, 2);
      stream.finish();
    });
    fft.round_trip(in, out, 2, double_values);
    expect_close<Complex>(out, want, 1e-12);
  }
}

TEST(Faults, OfArgumentsOnOneRankReachAll) {
  const bool last = rank() == ranks() - 1;
  expect_error(Fault::bad_argument, "grid dimensions must be positive (got 12 x 10 x 0)", [&] {
    SphereFft<Complex>(MPI_COMM_WORLD, {12, 10, last ? 0 : 15}, std::vector<Miller>{});
  });
  expect_error(Fault::bad_argument, "grid dimensions must be positive (got 12 x 10 x 0)", [&] {
    DenseFft<Complex>(MPI_COMM_WORLD, {12, 10, last ? 0 : 15});
  });
}

TEST(Faults, OfWindowsOnOneRankReachAll) {
  for (const Algorithm algorithm : {Algorithm::shared, Algorithm::two_level}) {
    if (ranks() == 1 && algorithm != Algorithm::shared) continue;
    const Fresh fresh;
    const FftOptions options{.policy = {.algorithm = algorithm}};
    DenseFft<Complex> dense(fresh.comm, shape, options);
    SphereFft<Complex> sphere(fresh.comm, shape, share_of(waves_of_radius(3), true), options);
    const auto fails = [&](const std::function<void()>& work) {
      if (rank() == ranks() - 1) mpi_profile::fail_next("MPI_Win_allocate_shared");
      expect_error(Fault::bad_argument, "MPI could not allocate", work);
    };
    fails([&] { dense.allocate(); });
    fails([&] { sphere.exchange_only(1); });
    sphere.exchange_only(1);  // the plan works afterwards
  }
}

}  // namespace
}  // namespace seiche::testing
