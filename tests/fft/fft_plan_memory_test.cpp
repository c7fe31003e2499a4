// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the memory of plans with hooks on all allocations. It equals the reported memory, for any number of
/// bands. Repeated calls allocate no memory and call no MPI function that sets something up.
#include <memory>
#include <set>

#include "support/allocations.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

TEST(Plan, CreatesAndAllocatesNothingInTheSteadyState) {
  constexpr std::int64_t bands = 6;
  const auto waves = share_of(waves_of_radius(3), false);
  const auto in = coefficients(waves, bands);
  std::vector<Complex> out(in.size());
  const SphereFft<Complex>::RealSpace function = double_values;
  for (const Algorithm algorithm :
       {Algorithm::shared, Algorithm::pairwise, Algorithm::alltoallv, Algorithm::ialltoallv}) {
    for (const auto decomposition : all_decompositions) {
      SphereFft<Complex> sphere(MPI_COMM_WORLD, shape, waves,
                                {.policy = {.algorithm = algorithm, .window = 3}, .decomposition = decomposition});
      DenseFft<Complex> dense(MPI_COMM_WORLD, shape,
                              {.policy = {.algorithm = algorithm}, .decomposition = decomposition});
      auto field = dense.allocate();
      const auto transform = [&] {
        sphere.round_trip(in, out, bands, function);
        dense.forward(field);
        dense.backward(field);
      };
      for (int warm = 0; warm < 2; ++warm) transform();
      mpi_profile::start_counting();
      const std::int64_t before = allocations;
      transform();
      EXPECT_EQ(allocations - before, 0) << name_of(algorithm) << " " << name_of(decomposition);
      for (const auto& [name, calls] : mpi_profile::counts()) {
        const bool sets_up = name.find("_Comm_") != std::string::npos || name.find("_Win_") != std::string::npos ||
                             name.find("_Type_") != std::string::npos || name.find("_init") != std::string::npos;
        EXPECT_FALSE(sets_up) << name << " was called " << calls << " times";
      }
      compared(1);
    }
  }
}

TEST(Plan, MemoryIsWhatWasToldBeforehandForAnyNumberOfBands) {
  const GridShape larger{96, 90, 100};
  const auto all = waves_of_radius(22);
  for (const bool sticks : {true, false}) {
    if (!sticks && ranks() == 1) continue;
    const auto mine = share_of(all, sticks);
    const auto in = coefficients(mine, 7);
    std::vector<Complex> out(in.size());
    for (const Algorithm algorithm : ways_here()) {
      for (const int groups : std::set{1, ranks()}) {
        SCOPED_TRACE(std::string(name_of(algorithm)) + ", band groups " + std::to_string(groups));
        MPI_Comm own = MPI_COMM_NULL;  // a separate cache, from which no other plan is removed meanwhile
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        std::unique_ptr<SphereFft<Complex>> fft;
        const double taken = bytes_taken([&] {
          fft = std::make_unique<SphereFft<Complex>>(
              own, larger, mine, FftOptions{.policy = {.algorithm = algorithm, .window = 2}, .band_groups = groups});
          fft->round_trip(std::span(in).first(mine.size()), std::span(out).first(mine.size()), 1, double_values);
        });
        const double told = of_all_ranks(fft->report().memory);
        EXPECT_NEAR(taken, told, 0.02 * told);
        const double more = bytes_taken([&] { fft->round_trip(in, out, 7, double_values); });
        EXPECT_LE(more, 1e-3 * told);  // the profile creates counters at first calls
        fft.reset();
        MPI_Comm_free(&own);
        compared(1);
      }
    }
  }
}

TEST(Plan, MemoryOfFieldsIsWhatWasToldBeforehand) {
  const GridShape larger{96, 90, 100};
  for (const Algorithm algorithm : ways_here()) {
    for (const auto decomposition : all_decompositions) {
      SCOPED_TRACE(std::string(name_of(algorithm)) + " " + name_of(decomposition));
      DenseFft<Complex> fft(MPI_COMM_WORLD, larger,
                            {.policy = {.algorithm = algorithm}, .decomposition = decomposition});
      std::unique_ptr<Field<Complex>> field;
      const double taken = bytes_taken([&] {
        field = std::make_unique<Field<Complex>>(fft.allocate());
        fft.forward(*field);
      });
      const double told = of_all_ranks(fft.report().memory);
      EXPECT_NEAR(taken, told, 0.02 * told);
      compared(1);
    }
  }
}

}  // namespace
}  // namespace seiche::testing
