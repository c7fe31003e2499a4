// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that an error on one rank is thrown on all ranks, when a plan is created or used.
#include <cstdlib>
#include <functional>

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

TEST(Faults, OfArgumentsOnOneRankReachAll) {
  const bool last = rank() == ranks() - 1;
  expect_error(Fault::bad_argument, "fft: grid dimensions must be positive (got 12 x 10 x 0)", [&] {
    SphereFft<Complex>(MPI_COMM_WORLD, {12, 10, last ? 0 : 15}, std::vector<Miller>{});
  });
  expect_error(Fault::bad_argument, "fft: grid dimensions must be positive (got 12 x 10 x 0)", [&] {
    DenseFft<Complex>(MPI_COMM_WORLD, {12, 10, last ? 0 : 15});
  });
  if (ranks() == 1) return;
  const std::string different =
      "ranks passed different grids or options to a collective constructor: pass the same on all ranks";
  expect_no_plan(Fault::bad_argument, different, {.policy = {.window = last ? -1 : 3}});
  expect_no_plan(Fault::bad_argument, different, {.band_groups = last ? ranks() + 1 : 1});
  expect_no_plan(Fault::bad_argument, different,
                 {.policy = {.algorithm = last ? Algorithm::pairwise : Algorithm::alltoallv}});
  expect_error(Fault::bad_argument, different, [&] { DenseFft<Complex>(MPI_COMM_WORLD, {12, 10, last ? 8 : 15}); });
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
