// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that invalid options, grids and libraries give an error on all ranks, also if one rank passes them.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "fft/exchange_only.hpp"
#include "support/bands.hpp"
#include "support/fresh_communicator.hpp"
#include "support/topology.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

/// Creates plans of all kinds, each of which must throw the same error on all ranks.
void expect_no_plan(Fault fault, const std::string& sentence, const FftOptions& options) {
  const FreshCommunicator fresh;
  const auto waves = share_of(waves_of_radius(3), true);
  Box planes = whole(shape);
  planes.axis[2] = block(shape.nz, ranks(), rank());
  const DenseArrays arrays{.grid = consecutive(planes), .spectrum = consecutive(planes)};
  expect_error(fault, sentence, [&] { DenseFft<Complex>(fresh.raw, shape, options); });
  expect_error(fault, sentence, [&] { DenseFft<Complex>(fresh.raw, shape, arrays, options); });
  expect_error(fault, sentence, [&] { SphereFft<Complex>(fresh.raw, shape, waves, options); });
}

TEST(FftOptions, LibrariesMustBeInstalled) {
  if (rank() == ranks() - 1) ::setenv("SEICHE_FFT", "fftpack", 1);
  expect_no_plan(Fault::bad_argument, "SEICHE_FFT ('fftpack')", {});
  ::unsetenv("SEICHE_FFT");
  for (const LineLibrary library : all_line_libraries) {
    if (is_here(library) || library == LineLibrary::fastest) continue;  // fastest is one of the others
    const FftOptions options{.library = rank() == ranks() - 1 ? library : line_library()};
    expect_no_plan(Fault::unsupported, "no library for 1D FFTs (" + name_of(library), options);
  }
}

TEST(FftOptions, ReproduciblePlansNeedOneLibrary) {
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
  for (const int planes : {-1, least})
    all.push_back({"the number of planes of a slab must not be", [=](FftOptions& o) { o.slabs = {planes}; }});
  all.push_back({"the option slabs needs the decomposition automatic or slab (got pencil)", [](FftOptions& o) {
                   o.slabs = {1};
                   o.decomposition = Decomposition::pencil;
                 }});
  return all;
}

TEST(FftOptions, MustBeInRange) {
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

TEST(FftOptions, OfTheOtherKindOfPlanAreErrors) {
  const std::string dense = "fft: dense transforms have one component and one band group";
  for (const FftOptions& options : {FftOptions{.band_groups = 2}, FftOptions{.components = 2}}) {
    expect_error(Fault::bad_argument, dense, [&] { DenseFft<Complex>(MPI_COMM_WORLD, shape, options); });
    expect_error(Fault::bad_argument, dense, [&] { dense_grid_boxes(2, shape, options); });
  }
  const FftOptions slabs{.slabs = {7, 8}}, chunks{.chunks = {1, 2}};
  expect_error(Fault::bad_argument, "fft: dense transforms do not take slabs (got 2)",
               [&] { DenseFft<Complex>(MPI_COMM_WORLD, shape, slabs); });
  expect_error(Fault::bad_argument, "the number of band groups must divide the number of ranks",
               [] { SphereFft<Complex>(MPI_COMM_WORLD, shape, {}, {.band_groups = ranks() + 1}); });
  expect_error(Fault::bad_argument,
               "fft: the number of band groups must divide the number of ranks (got 2 groups for 3 ranks)",
               [] { sphere_grid_boxes(3, shape, {.band_groups = 2}); });
  if (ranks() > 1) {
    expect_error(Fault::bad_argument, "the exchange algorithm 'local' sends nothing",
                 [] { DenseFft<Complex>(MPI_COMM_WORLD, shape, {.policy = {.algorithm = Algorithm::local}}); });
  }
  const std::string sphere = "fft: transforms of spheres have no chunks (got 2)";
  expect_error(Fault::bad_argument, sphere, [&] { SphereFft<Complex>(MPI_COMM_WORLD, shape, {}, chunks); });
  expect_error(Fault::bad_argument, sphere, [&] { sphere_grid_boxes(2, shape, chunks); });
  for (const int none : {0, -1}) {
    expect_error(Fault::bad_argument, "fft: a grid needs at least one rank", [&] { sphere_grid_boxes(none, shape); });
    expect_error(Fault::bad_argument, "fft: a grid needs at least one rank", [&] { dense_grid_boxes(none, shape); });
  }
}

TEST(FftOptions, GridsMustBeInRange) {
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
TEST(FftOptions, OfTuningMustBeInRange) {
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

TEST(FftOptions, NeedMemoryForWindows) {
  for (const Algorithm algorithm : {Algorithm::shared, Algorithm::two_level}) {
    if (ranks() == 1 && algorithm != Algorithm::shared) continue;
    const FreshCommunicator fresh;
    const FftOptions options{.policy = {.algorithm = algorithm}};
    DenseFft<Complex> dense(fresh.raw, shape, options);
    SphereFft<Complex> sphere(fresh.raw, shape, share_of(waves_of_radius(3), true), options);
    const auto fails = [&](const std::function<void()>& work) {
      if (rank() == ranks() - 1) mpi_profile::fail_next("MPI_Win_allocate_shared");
      expect_error(Fault::bad_argument, "MPI could not allocate", work);
    };
    fails([&] { dense.allocate(); });
    fails([&] { exchange_only(sphere, 1); });
    exchange_only(sphere, 1);  // the plan works afterwards
  }
}

TEST(FftOptions, DetermineTheBoxesOfRanks) {
  for (const auto decomposition : all_decompositions) {
    for (const int groups : {1, ranks()}) {
      const FftOptions options{.decomposition = decomposition},
          grouped{.decomposition = decomposition, .band_groups = groups};
      const DenseFft<Complex> dense(MPI_COMM_WORLD, shape, options);
      const SphereFft<Complex> sphere(MPI_COMM_WORLD, shape, share_of(waves_of_radius(3), true), grouped);
      const auto of_dense = dense_grid_boxes(ranks(), shape, options),
                 of_sphere = sphere_grid_boxes(ranks(), shape, grouped);
      const auto me = static_cast<std::size_t>(rank());
      EXPECT_EQ(of_dense[me], dense.grid_box());
      EXPECT_EQ(of_sphere[me], sphere.grid_box());
      std::int64_t points = 0, in_groups = 0;
      for (const Box& box : of_dense) points += box.volume();
      for (const Box& box : of_sphere) in_groups += box.volume();
      EXPECT_EQ(points, shape.volume());
      EXPECT_EQ(in_groups, shape.volume() * groups);
      compared(4);
    }
  }
}

TEST(FftOptions, BandGroupsAreNodesByDefault) {
  const auto mine = share_of(waves_of_radius(3), true);
  for (const int of_node : {1, 2}) {
    const EmulatedNodes nodes_of(of_node);
    const GridShape another{shape.nx, shape.ny, shape.nz + of_node};  // avoids the cached plan of the other node size
    const SphereFft<Complex> fft(MPI_COMM_WORLD, another, mine);
    const int nodes = (ranks() + of_node - 1) / of_node;
    EXPECT_EQ(fft.report().band_groups, ranks() % nodes == 0 && ranks() / nodes == of_node ? nodes : 1);
    compared(1);
  }
}

}  // namespace
}  // namespace seiche::testing
