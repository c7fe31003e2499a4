// SPDX-License-Identifier: BSD-3-Clause
/// \file  What plans promise beside right values: the same bits however values are moved, nothing made in the steady
/// state, plans found again, few of them open, and faults that come out alike on all ranks.
#include <malloc.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <set>

#include "comm/node.hpp"
#include "comm/shelf.hpp"
#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "trace/mpi_profile.hpp"

namespace {

std::int64_t allocations = 0, live_bytes = 0, most_bytes = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  most_bytes = std::max(most_bytes, live_bytes);
  return memory;
}

void discount(void* memory) {
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// The hook: all C++ allocations of the process are counted.
void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t) noexcept { discount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { discount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { discount(memory); }

namespace seiche::testing {
namespace {

using Complex = std::complex<double>;
constexpr GridShape shape{12, 10, 15};

/// The waves of a small sphere that this rank owns: whole sticks, or all ranks parts of each.
std::vector<Miller> my_waves(bool sticks) {
  std::vector<Miller> all;
  for (std::int32_t x = -3; x <= 3; ++x) {
    for (std::int32_t y = -3; y <= 3; ++y) {
      for (std::int32_t z = -3; z <= 3; ++z) {
        if (x * x + y * y + z * z <= 9) all.push_back({x, y, z});
      }
    }
  }
  const auto owners = balanced_owners(all, ranks());
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((sticks ? owners[i] : static_cast<int>(i) % ranks()) == rank()) mine.push_back(all[i]);
  }
  return mine;
}

std::vector<Complex> coefficients(const std::vector<Miller>& waves, std::int64_t bands) {
  std::vector<Complex> values;
  for (std::int64_t band = 0; band < bands; ++band) {
    for (const Miller& g : waves)
      values.emplace_back(0.1 * g.x + 0.01 * g.y - static_cast<double>(band), 1.0 / (2 + g.z * g.z));
  }
  return values;
}

void double_values(std::int64_t, const Box&, const View<Complex>& values) {
  for (std::int64_t y = 0; y < values.shape[1]; ++y) {
    for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, 0) *= 2;
  }
}

std::vector<FftOptions> ways_of_running() {
  std::vector<FftOptions> all;
  for (const Way way : all_ways()) {
    for (const Progress progress : {Progress::poll, Progress::thread, Progress::none}) {
      for (const int window : {1, 3, 5}) {
        if (progress == Progress::thread && way == Way::put) continue;  // its epochs belong to one thread
        all.push_back({.way = way, .progress = progress, .window = window});
      }
    }
  }
  return all;
}

std::string described(const FftOptions& o) {
  return std::string(name_of(o.way)) + " " + std::string(name_of(o.progress)) + " window " + std::to_string(o.window);
}

TEST(Plan, GivesTheSameBitsHoweverValuesAreMoved) {
  constexpr std::int64_t bands = 7;
  for (const bool sticks : {true, false}) {
    const auto waves = my_waves(sticks);
    const auto in = coefficients(waves, bands);
    std::vector<Complex> first;
    for (const auto decomposition : {Decomposition::slab, Decomposition::pencil}) {
      first.clear();
      for (FftOptions options : ways_of_running()) {
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

TEST(Plan, ChunksOfOneTransformChangeNothing) {
  for (const auto decomposition : {Decomposition::slab, Decomposition::pencil}) {
    std::vector<Complex> first;
    for (const Way way : all_ways()) {
      for (const std::vector<int>& chunks :
           {std::vector<int>{1}, {3, 1}, {1, 1, 1, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
        DenseFft<Complex> fft(MPI_COMM_WORLD, shape,
                              {.way = way,
                               .library = LineLibrary::fftw,
                               .decomposition = decomposition,
                               .reproducible = true,
                               .chunks = chunks});
        std::vector<Complex> grid(static_cast<std::size_t>(fft.grid_box().volume()));
        for (std::size_t i = 0; i < grid.size(); ++i)
          grid[i] = {static_cast<double>(i % 17), static_cast<double>(rank())};
        std::vector<Complex> spectrum(static_cast<std::size_t>(fft.spectrum_box().volume())), back(grid.size());
        fft.to_spectrum(grid, spectrum);
        if (first.empty()) first = spectrum;
        expect_equal(spectrum, first);
        fft.to_grid(spectrum, back);
        expect_close<Complex>(back, grid, 1e-13 * 17);
      }
    }
  }
  expect_error(Fault::bad_argument, "fft: a chunk of relative size 0; give positive numbers", [] {
    DenseFft<Complex>(MPI_COMM_WORLD, shape, {.way = Way::pairwise, .chunks = {1, 0}});
  });
}

/// What travels as floats is wrong by half of their last digit, at each of the two exchanges.
TEST(Plan, RoundedExchangesKeepTheirErrorBound) {
  constexpr std::int64_t bands = 3;
  const auto waves = my_waves(true);
  const auto in = coefficients(waves, bands);
  for (const Way way : {Way::pairwise, Way::alltoallv, Way::ialltoall}) {
    SphereFft<Complex> exact(MPI_COMM_WORLD, shape, waves, {.way = way});
    SphereFft<Complex> rounded(MPI_COMM_WORLD, shape, waves, {.way = way, .rounded_exchange = true});
    std::vector<Complex> want(in.size()), got(in.size());
    exact.round_trip(in, want, bands, double_values);
    rounded.round_trip(in, got, bands, double_values);
    expect_close<Complex>(got, want, 2e-6);
    const bool sends = rounded.report().bytes_sent > 0 && !in.empty();
    if (sends && way == Way::alltoallv) {
      EXPECT_NE(got, want) << "nothing was rounded";
    }
  }
}

TEST(Plan, MakesAndAllocatesNothingInTheSteadyState) {
  constexpr std::int64_t bands = 6;
  const auto waves = my_waves(false);
  const auto in = coefficients(waves, bands);
  std::vector<Complex> out(in.size());
  const SphereFft<Complex>::RealSpace function = double_values;
  for (const Way way : {Way::shared, Way::pairwise, Way::alltoallv, Way::ialltoallv}) {
    for (const bool pencil : {false, true}) {
      const auto decomposition = pencil ? Decomposition::pencil : Decomposition::slab;
      SphereFft<Complex> sphere(MPI_COMM_WORLD, shape, waves,
                                {.way = way, .decomposition = decomposition, .window = 3});
      DenseFft<Complex> dense(MPI_COMM_WORLD, shape, {.way = way, .decomposition = decomposition});
      auto field = dense.allocate();
      const auto transform = [&] {
        sphere.round_trip(in, out, bands, function);
        dense.to_spectrum(field);
        dense.to_grid(field);
      };
      for (int warm = 0; warm < 2; ++warm) transform();
      trace::start_counting();
      const std::int64_t before = allocations;
      transform();
      EXPECT_EQ(allocations - before, 0) << name_of(way) << (pencil ? " pencil" : " slab");
      for (const auto& [name, calls] : trace::counts()) {
        const bool sets_up = name.find("_Comm_") != std::string::npos || name.find("_Win_") != std::string::npos ||
                             name.find("_Type_") != std::string::npos || name.find("_init") != std::string::npos;
        EXPECT_FALSE(sets_up) << name << " was called " << calls << " times";
      }
      compared(1);
    }
  }
}

double of_all_ranks(std::int64_t mine) {
  auto sum = static_cast<double>(mine);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Collective. Bytes of all ranks that `work` takes: each rank's peak, windows being shared out evenly, since one rank
/// allocates what all use.
template <class Work>
double bytes_taken(const Work& work) {
  trace::start_counting();
  const std::int64_t before = live_bytes;
  most_bytes = live_bytes;
  work();
  const double windows = of_all_ranks(trace::window_bytes()) / ranks();
  double bytes = std::max(static_cast<double>(most_bytes), static_cast<double>(live_bytes) + windows) -
                 static_cast<double>(before);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return bytes;
}

std::vector<Miller> waves_of_radius(std::int32_t radius) {
  std::vector<Miller> all;
  for (std::int32_t x = -radius; x <= radius; ++x) {
    for (std::int32_t y = -radius; y <= radius; ++y) {
      for (std::int32_t z = -radius; z <= radius; ++z) {
        if (x * x + y * y + z * z <= radius * radius) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

TEST(Plan, MemoryIsWhatWasToldBeforehandForAnyNumberOfBands) {
  const GridShape larger{96, 90, 100};
  const auto all = waves_of_radius(22);
  for (const bool sticks : {true, false}) {
    if (!sticks && ranks() == 1) continue;
    const auto owners = balanced_owners(all, ranks());
    std::vector<Miller> mine;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((sticks ? owners[i] : static_cast<int>(i) % ranks()) == rank()) mine.push_back(all[i]);
    }
    const auto in = coefficients(mine, 7);
    std::vector<Complex> out(in.size());
    for (const Way way : all_ways()) {
      for (const int groups : std::set{1, ranks()}) {
        SCOPED_TRACE(std::string(name_of(way)) + ", band groups " + std::to_string(groups));
        MPI_Comm own = MPI_COMM_NULL;  // on a shelf of its own, from which no other plan is dropped meanwhile
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        std::unique_ptr<SphereFft<Complex>> fft;
        const double taken = bytes_taken([&] {
          fft = std::make_unique<SphereFft<Complex>>(own, larger, mine,
                                                     FftOptions{.way = way, .window = 2, .band_groups = groups});
          fft->round_trip(std::span(in).first(mine.size()), std::span(out).first(mine.size()), 1, double_values);
        });
        const double told = of_all_ranks(fft->report().memory);
        EXPECT_NEAR(taken, told, 0.02 * told);
        const double more = bytes_taken([&] { fft->round_trip(in, out, 7, double_values); });
        EXPECT_LE(more, 1e-3 * told);  // the counters of calls that are made for the first time
        fft.reset();
        MPI_Comm_free(&own);
        compared(1);
      }
    }
  }
}

TEST(Plan, MemoryOfFieldsIsWhatWasToldBeforehand) {
  const GridShape larger{96, 90, 100};
  for (const Way way : all_ways()) {
    for (const auto decomposition : {Decomposition::slab, Decomposition::pencil}) {
      SCOPED_TRACE(std::string(name_of(way)) + " " + name_of(decomposition));
      DenseFft<Complex> fft(MPI_COMM_WORLD, larger, {.way = way, .decomposition = decomposition});
      std::unique_ptr<Field<Complex>> field;
      const double taken = bytes_taken([&] {
        field = std::make_unique<Field<Complex>>(fft.allocate());
        fft.to_spectrum(*field);
      });
      const double told = of_all_ranks(fft.report().memory);
      EXPECT_NEAR(taken, told, 0.02 * told);
      compared(1);
    }
  }
}

TEST(Plan, MadeAgainCostsOneSmallReduction) {
  const auto waves = my_waves(true);
  const FftOptions options{.way = Way::pairwise, .window = 3};
  SphereFft<Complex> first(MPI_COMM_WORLD, shape, waves, options);
  const auto in = coefficients(waves, 1);
  std::vector<Complex> out(in.size()), again(in.size());
  first.round_trip(in, out, 1, double_values);
  trace::start_counting();
  SphereFft<Complex> second(MPI_COMM_WORLD, shape, waves, options);
  const auto calls = trace::counts();
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.count("MPI_Allreduce"), 1U);
  second.round_trip(in, again, 1, double_values);
  expect_equal(again, out);
  auto fewer = waves;
  if (rank() == 0 && !fewer.empty()) fewer.pop_back();  // another sphere on one rank is another plan on all
  trace::start_counting();
  SphereFft<Complex> third(MPI_COMM_WORLD, shape, fewer, options);
  EXPECT_GT(trace::counts().size(), 1U);
}

/// Communicators and windows that this process has made and not freed.
std::int64_t live_objects(const std::map<std::string, std::int64_t>& calls) {
  std::int64_t live = 0;
  for (const auto& [name, n] : calls) {
    if (name == "MPI_Comm_free" || name == "MPI_Win_free") {
      live -= n;
    } else if (name.find("MPI_Win_allocate") == 0 || name == "MPI_Win_create" || name == "MPI_Comm_dup" ||
               name == "MPI_Comm_split" || name == "MPI_Comm_split_type" || name == "MPI_Comm_create") {
      live += n;
    }
  }
  return live;
}

TEST(Plan, TenThousandOfThemHoldFewCommunicators) {
  const int plans = ranks() == 1 ? 10000 : 300;  // more ranks than cores wait for each other
  std::deque<SphereFft<Complex>> alive;
  trace::start_counting();
  std::int64_t most = 0, wrong = 0;
  for (int i = 0; i < plans; ++i) {
    const std::vector<Miller> waves{{rank(), i % 2, 0}};
    alive.emplace_back(MPI_COMM_WORLD, GridShape{8 + i % 50, 3 + i / 50 % 20, 1 + i / 1000}, waves, FftOptions{});
    const std::vector<Complex> in{{1.0 * i, -1}};
    std::vector<Complex> out(1);
    alive.back().round_trip(in, out, 1, double_values);
    wrong += std::abs(out[0] - 2.0 * in[0]) > 1e-9;
    most = std::max(most, live_objects(trace::counts()));
  }
  // an early one, closed long ago, opens again
  const std::vector<Complex> in{{3, 4}};
  std::vector<Complex> out(1);
  alive.front().round_trip(in, out, 1, double_values);
  expect_close<Complex>(out, std::vector<Complex>{{6, 8}}, 1e-12);
  EXPECT_EQ(wrong, 0);
  // each open plan has two windows or three, and splits are shared by all
  EXPECT_LE(most, 3 * static_cast<std::int64_t>(Shelf::capacity) + 8);
  compared(plans);
}

/// The end of the program closes them, which is collective: ranks that went through them in different orders would
/// hang.
TEST(Plan, ThoseOfManyCommunicatorsAreClosedInOneOrder) {
  std::vector<std::unique_ptr<char[]>> holes;  // that memory lies elsewhere on each rank
  for (int i = 0; i < 512; ++i) holes.push_back(std::make_unique<char[]>(static_cast<std::size_t>(16 + i % 4 * 16)));
  for (int i = 0; i < 8; ++i) {
    MPI_Comm never_freed = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &never_freed);
    for (int n = 0; n < 32; ++n) holes[static_cast<std::size_t>(n + 32 * ((3 + 2 * rank()) * i % 16))].reset();
    SphereFft<Complex> fft(never_freed, {16, 5, 4}, std::vector<Miller>{{rank(), 1, 0}}, {});
    const std::vector<Complex> in{{3, 4}};
    std::vector<Complex> out(1);
    fft.round_trip(in, out, 1, double_values);
    expect_close<Complex>(out, std::vector<Complex>{{6, 8}}, 1e-12);
  }
}

TEST(Faults, OfAUsersFunctionOnOneRankReachAll) {
  const auto waves = my_waves(true);
  const auto in = coefficients(waves, 5);
  std::vector<Complex> out(in.size());
  for (const Way way : all_ways()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, {.way = way, .window = 3});
    const bool owns_points = fft.grid_box().volume() > 0;
    expect_error(Fault::internal, "the potential of band 2 is missing", [&] {
      fft.round_trip(in, out, 5, [&](std::int64_t band, const Box& box, const View<Complex>&) {
        if (band == 2 && owns_points && box.axis[2].low == 0)
          throw std::runtime_error("the potential of band 2 is missing");
      });
    });
    fft.round_trip(in, out, 5, double_values);  // and the plan still works
    std::vector<Complex> want = in;
    for (Complex& value : want) value *= 2;
    expect_close<Complex>(out, want, 1e-12);
  }
}

TEST(Faults, OfMpiOnOneRankReachAll) {
  if (ranks() == 1) return compared(1);
  const auto waves = my_waves(true);
  const auto in = coefficients(waves, 5);
  std::vector<Complex> out(in.size());
  const std::vector<std::pair<Way, std::string>> calls{{Way::alltoallv, "MPI_Alltoallv"},
                                                       {Way::alltoall, "MPI_Alltoall"},
                                                       {Way::pairwise, "MPI_Isend"},
                                                       {Way::two_level, "MPI_Isend"}};
  set_ranks_per_node(1);
  for (const auto& [way, call] : calls) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, waves, {.way = way});
    DenseFft<Complex> dense(MPI_COMM_WORLD, shape, {.way = way});
    auto field = dense.allocate();
    if (rank() == 1) trace::fail_next(call);
    expect_error(Fault::mpi, call + " failed: ", [&] { fft.round_trip(in, out, 5, double_values); });
    if (rank() == 1) trace::fail_next(call);
    expect_error(Fault::mpi, call + " failed: ", [&] { dense.to_spectrum(field); });
  }
  set_ranks_per_node(0);
}

}  // namespace
}  // namespace seiche::testing
