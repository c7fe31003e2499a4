// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the memory of plans with hooks on all allocations. It equals the reported memory, for any number of
/// bands. Repeated calls allocate no memory and call no MPI function that sets something up.
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "comm/agree.hpp"
#include "support/allocations.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

TEST(Plan, MakesAndAllocatesNothingInTheSteadyState) {
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

/// Calls `make` repeatedly. In each call another large allocation fails on the last rank, until none fails. All ranks
/// must report each failure. \return the number of failures
std::int64_t failures_of(const std::function<void()>& make) {
  for (std::int64_t number = 1;; ++number) {
    failing = rank() == ranks() - 1 ? number : 0;
    const auto fault = fault_of(make);
    std::int64_t left = std::exchange(failing, 0);
    MPI_Bcast(&left, 1, MPI_INT64_T, ranks() - 1, MPI_COMM_WORLD);
    EXPECT_EQ(fault.has_value(), left == 0) << "allocation " << number << (fault ? fault->what() : "");
    if (left > 0) return number - 1;
    EXPECT_EQ(fault.value_or(Error(Fault::internal, "")).what(),
              std::string("not enough memory: use more processes or a smaller case"));
  }
}

constexpr GridShape larger{48, 45, 50};

/// Creates a plan for callers' arrays, and uses it.
void transform_arrays(MPI_Comm comm, const FftOptions& options, std::span<Complex> grid, std::span<Complex> spectrum) {
  Box planes = whole(larger), columns = planes;
  planes.axis[2] = block(larger.nz, ranks(), rank());
  columns.axis[1] = block(larger.ny, ranks(), rank());
  DenseFft<Complex> fft(comm, larger, {.grid = consecutive(planes), .spectrum = consecutive(columns)}, options);
  fft.forward(grid.first(static_cast<std::size_t>(planes.volume())),
              spectrum.first(static_cast<std::size_t>(columns.volume())));
}

/// Returns functions that create each kind of plan and its memory.
std::map<std::string, std::function<void(MPI_Comm, FftOptions)>> kinds_of_plans() {
  const auto waves = share_of(waves_of_radius(11), true), divided = share_of(waves_of_radius(11), false);
  const auto grid = std::make_shared<std::vector<Complex>>(static_cast<std::size_t>(larger.volume()));
  const auto spectrum = std::make_shared<std::vector<Complex>>(grid->size());
  const auto sphere = [](MPI_Comm comm, const std::vector<Miller>& mine, const FftOptions& options) {
    SphereFft<Complex>(comm, larger, mine, options).exchange_only(1);
  };
  return {
      {"field", [](MPI_Comm comm, const FftOptions& options) { DenseFft<Complex>(comm, larger, options).allocate(); }},
      {"arrays", [=](MPI_Comm comm, const FftOptions& options) { transform_arrays(comm, options, *grid, *spectrum); }},
      {"sphere of sticks", [=](MPI_Comm comm, const FftOptions& options) { sphere(comm, waves, options); }},
      {"sphere", [=](MPI_Comm comm, const FftOptions& options) { sphere(comm, divided, options); }}};
}

TEST(Faults, OfMemoryOnOneRankReachAll) {
  for (const auto& [name, make] : kinds_of_plans()) {
    std::int64_t failures = 0;
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise, Algorithm::alltoall}) {
      SCOPED_TRACE(name + " " + std::string(name_of(algorithm)));
      MPI_Comm own = MPI_COMM_NULL;  // has no cached plan with these arguments
      MPI_Comm_dup(MPI_COMM_WORLD, &own);
      const FftOptions options{.policy = {.algorithm = algorithm}, .decomposition = Decomposition::pencil};
      failures += failures_of([&, make = make] { make(own, options); });
      MPI_Comm_free(&own);
    }
    EXPECT_GT(failures, 0) << name;
    compared();
  }
}

}  // namespace
}  // namespace seiche::testing
