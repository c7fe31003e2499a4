// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests several calls and plans at the same time, and arrays at any address.
#include <deque>
#include <memory>

#include "fft/dense_case.hpp"
#include "fft/exchange_only.hpp"
#include "fft/sphere_case.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

std::vector<FftOptions> options_of_started_calls() {
  std::vector<FftOptions> all{
      {.policy = {.window = 2}, .space = Space::cuda},
      {.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread, .window = 3}, .threads = 2},
      {.policy = {.algorithm = Algorithm::pairwise, .window = 4}, .band_groups = ranks()}};
  for (const Algorithm algorithm : ways_here()) {
    all.push_back({.policy = {.algorithm = algorithm, .window = 2}});
    all.push_back({.policy = {.algorithm = algorithm}, .decomposition = Decomposition::pencil});
  }
  return all;
}

/// Two calls of a plan of spheres, two of a dense plan, and ordinary calls between them.
TEST(StartedCalls, ExistAtTheSameTime) {
  const Bands<Complex> of({.spread = Spread::cyclic});
  const Grids<double> grids(of.shape, 1);
  for (const FftOptions& options : options_of_started_calls()) {
    SphereFft<Complex> fft = of.plan(options);
    DenseFft<double> dense(MPI_COMM_WORLD, of.shape, {.policy = options.policy});
    const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()), 3);
    const auto in_box = [&](const Box& box, const std::vector<Wide>& whole_grid) {
      return values_in<Complex>(consecutive(box), 1, static_cast<std::size_t>(box.volume()), of.shape,
                                [&](std::int64_t, std::size_t at) { return whole_grid[at]; });
    };
    std::vector<double> grid, again;
    for (const Complex& value : in_box(dense.grid_box(), grids.grid[0])) grid.push_back(value.real());
    const auto spectrum = in_box(dense.spectrum_box(), grids.spectrum[0]);
    std::vector<Complex> first(of.in.size()), second = first, third = spectrum, fourth = spectrum, fifth = first;
    Pending one = fft.start_apply_potential(of.in, first, of.bands, potential);
    Pending two = fft.start_apply_potential(of.in, second, of.bands, potential);
    Pending three = dense.start_forward(grid, third);
    Pending four = dense.start_forward(grid, fourth);
    for (int i = 0; i < 7 * (rank() + 1); ++i) two.progress(), one.progress(), three.progress();
    fft.apply_potential(of.in, fifth, of.bands, potential);
    two.finish();
    one.finish();
    four.finish();
    three.finish();
    for (const auto* result : {&first, &second, &fifth}) expect_close<Complex>(*result, times(of.in, 3), 1e-12);
    for (const auto* result : {&third, &fourth}) expect_close<Complex>(*result, spectrum, 1e-13);
  }
}

/// Messages of these algorithms start in any order, so that progress() needs no finish() on other ranks.
TEST(StartedCalls, CompleteByProgressAlone) {
  const Bands<Complex> of({.spread = Spread::cyclic});
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::shared, Algorithm::two_level}) {
    for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
      SphereFft<Complex> fft =
          of.plan({.policy = {.algorithm = algorithm, .window = 2}, .decomposition = decomposition});
      const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()), 3);
      std::vector<Complex> out(of.in.size());
      Pending call = fft.start_apply_potential(of.in, out, of.bands, potential);
      while (!call.progress()) continue;
      expect_close<Complex>(out, times(of.in, 3), 1e-12);
      call.finish();
    }
  }
}

TEST(StartedCalls, MayBeDroppedAndOutliveTheirPlan) {
  const Bands<Complex> of({.spread = Spread::cyclic});
  std::vector<Complex> out(of.in.size());
  for (const FftOptions& options : options_of_started_calls()) {
    auto fft = std::make_unique<SphereFft<Complex>>(of.plan(options));
    const std::vector<double> potential(static_cast<std::size_t>(fft->grid_box().volume()), 3);
    fft->start_apply_potential(of.in, out, of.bands, potential);
    expect_works(*fft, of);
    Pending late = fft->start_apply_potential(of.in, out, of.bands, potential);
    fft->close();
    fft.reset();
    late.finish();
    expect_close<Complex>(out, times(of.in, 3), 1e-12);
    DenseFft<Complex> dense(MPI_COMM_WORLD, of.shape, {.policy = options.policy});
    const std::vector<Complex> grid(static_cast<std::size_t>(dense.grid_box().volume()), 1.0);
    std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume())), want = spectrum;
    each_point(dense.spectrum_box(), [&](const Point& p, std::size_t at) { want[at] = p == Point{} ? 1 : 0; });
    std::vector<Field<Complex>> fields;
    fields.push_back(dense.allocate());
    dense.start_forward(fields);
    dense.start_forward(grid, spectrum);
    Pending last = dense.start_forward(grid, spectrum);
    dense.close();
    last.finish();
    expect_close<Complex>(spectrum, want, 1e-12);
  }
}

/// While a stream is open, its plan and plans with the same arguments transform other bands. Many other plans, which
/// exceed the cache, do not disturb the stream.
TEST(Streams, DoNotDisturbOtherCalls) {
  const Bands<Complex> of({.spread = Spread::cyclic, .bands = 3});
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 2}};
  SphereFft<Complex> fft = of.plan(options), alike = of.plan(options);
  std::int64_t points = 0;
  auto stream =
      fft.open_stream([&](std::int64_t, const Box&, const View<Complex>& values) { points += values.volume(); });
  stream.add(of.in, 3);
  expect_works(fft, of);
  expect_works(alike, of);
  const FewPlans few(1);
  for (int other = 0; other < 2; ++other) {
    const std::vector<Miller> one{{rank(), other, 0}};
    exchange_only(SphereFft<Complex>(MPI_COMM_WORLD, {20, 12, 12}, one), 1);
  }
  stream.add(of.in, 3);
  stream.finish();
  EXPECT_EQ(points, 6 * fft.grid_box().volume());
}

TEST(Plans, OfTheSameArgumentsReportSeparateTimes) {
  const Bands<Complex> of;
  SphereFft<Complex> first = of.plan(), second = of.plan();
  expect_works(first, of);
  const double worked = first.progress().worked;
  EXPECT_GT(worked, 0);
  EXPECT_EQ(second.progress().worked, 0);
  expect_works(second, of);
  EXPECT_EQ(first.progress().worked, worked);
  DenseFft<Wide> dense(MPI_COMM_WORLD, {8, 9, 10}), other(MPI_COMM_WORLD, {8, 9, 10});
  auto field = dense.allocate();
  dense.forward(field);
  EXPECT_GT(dense.progress().worked, 0);
  EXPECT_EQ(other.progress().worked, 0);
  other.backward(field);
  EXPECT_GT(other.progress().worked, 0);
  compared(6);
}

/// A copy of complex values in memory that begins at 8 mod 16 bytes.
class OffAlignment {
 public:
  explicit OffAlignment(const std::vector<Complex>& values) : reals_(2 * values.size() + 1), size_(values.size()) {
    std::copy(values.begin(), values.end(), all().begin());
  }
  std::span<Complex> all() { return {reinterpret_cast<Complex*>(reals_.data() + 1), size_}; }

 private:
  std::vector<double> reals_;
  std::size_t size_;
};

/// Rows of the grid have an odd number of points.
TEST(Arrays, MayBeginAtAnyReal) {
  const Bands<Complex> of({.shape = {15, 10, 12}, .bands = 3});
  for (const LineLibrary library : line_libraries_here()) {
    SphereFft<Complex> fft = of.plan({.library = library});
    const auto want = of.on_grid(fft);
    OffAlignment in(of.in), grid((std::vector<Complex>(want.size()))), out((std::vector<Complex>(of.in.size())));
    fft.backward(in.all(), grid.all(), 3);
    expect_close<Complex>(grid.all(), want, 1e-12);
    fft.forward(grid.all(), out.all(), 3);
    expect_close<Complex>(out.all(), of.in, 1e-12);
    DenseFft<Complex> dense(MPI_COMM_WORLD, of.shape, {.library = library});
    std::vector<Complex> values(static_cast<std::size_t>(dense.grid_box().volume())),
        waves(static_cast<std::size_t>(dense.spectrum_box().volume()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Complex(static_cast<double>(i % 7) + rank(), 1);
    dense.forward(values, waves);
    OffAlignment there(values), spectrum((std::vector<Complex>(waves.size()))), back(values);
    dense.forward(there.all(), spectrum.all());
    expect_close<Complex>(spectrum.all(), waves, 1e-13);
    dense.backward(spectrum.all(), back.all());
    expect_close<Complex>(back.all(), values, 1e-12);
  }
}

}  // namespace
}  // namespace seiche::testing
