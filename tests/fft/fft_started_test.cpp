// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests started calls: their results equal those of ordinary calls, several may exist, and progress() completes
/// them without a collective call.
#include <memory>
#include <vector>

#include "fft/known_bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

constexpr std::int64_t bands = 5;

std::vector<FftOptions> options_of_starts() {
  std::vector<FftOptions> all = some_options();
  for (const Algorithm algorithm :
       {Algorithm::alltoallv, Algorithm::alltoall, Algorithm::ialltoallv, Algorithm::two_level}) {
    all.push_back({.policy = {.algorithm = algorithm, .window = 2}});
    all.push_back({.policy = {.algorithm = algorithm}, .decomposition = Decomposition::pencil});
  }
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread, .window = 3}});
  return all;
}

/// Calls progress() for a while, a different number of times on each rank.
void work_between(Pending& pending) {
  for (int i = 0; i < 7 * (rank() + 1); ++i) pending.progress();
}

std::vector<double> potential_on(const Box& box) {
  std::vector<double> v(static_cast<std::size_t>(box.volume()));
  each_point(box, [&](std::size_t point, std::size_t at) { v[at] = 1 + 0.01 * static_cast<double>(point % 101); });
  return v;
}

TEST(Started, CallsGiveTheResultsOfOrdinaryCalls) {
  const Known known(false, bands);
  for (const FftOptions& options : options_of_starts()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    const auto potential = potential_on(fft.grid_box());
    std::vector<Complex> want(known.in.size()), got(known.in.size()), back(known.in.size());
    fft.apply_potential(known.in, want, bands, potential);
    Pending product = fft.start_apply_potential(known.in, got, bands, potential);
    work_between(product);
    product.finish();
    expect_equal(got, want);

    std::vector<Complex> grid(static_cast<std::size_t>(fft.bands_here(bands) * fft.grid_box().volume()));
    Pending to_grid = fft.start_backward(known.in, grid, bands);
    work_between(to_grid);
    to_grid.finish();
    Pending to_waves = fft.start_forward(grid, back, bands);
    work_between(to_waves);
    to_waves.finish();
    expect_close<Complex>(back, known.in, 1e-12);

    std::vector<double> rho(potential.size()), sum(potential.size());
    fft.add_density(known.in, weights(bands), bands, sum);
    Pending density = fft.start_add_density(known.in, weights(bands), bands, rho);
    work_between(density);
    density.finish();
    expect_equal(rho, sum);
  }
}

TEST(Started, RoundTripsCallTheFunction) {
  const Known known(true, bands);
  for (const FftOptions& options : options_of_starts()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    std::vector<Complex> out(known.in.size()), twice(known.in.size());
    for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = 2.0 * known.in[i];
    const auto doubled = [](const View<Complex>& values) {
      for (std::int64_t z = 0; z < values.shape[2]; ++z) {
        for (std::int64_t y = 0; y < values.shape[1]; ++y) {
          for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, z) *= 2;
        }
      }
    };
    Pending each = fft.start_round_trip(known.in, out, bands,
                                        [&](std::int64_t, const Box&, View<Complex> values) { doubled(values); });
    work_between(each);
    each.finish();
    expect_close<Complex>(out, twice, 1e-12);
    Pending all = fft.start_round_trip_spinors(
        known.in, out, bands,
        [&](std::int64_t, const Box&, std::span<const View<Complex>> components) { doubled(components[0]); });
    all.finish();
    expect_close<Complex>(out, twice, 1e-12);
  }
}

/// Two calls of one plan, a call of another plan, and an ordinary call between them.
TEST(Started, SeveralCallsExistAtTheSameTime) {
  const Known known(false, bands);
  for (const FftOptions& options : options_of_starts()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    DenseFft<double> dense(MPI_COMM_WORLD, shape, {.policy = options.policy});
    const auto potential = potential_on(fft.grid_box());
    const auto values = random_values(dense.grid_box().volume(), 3 + static_cast<unsigned>(rank()));
    std::vector<double> grid, again(values.size());
    for (const Complex& value : values) grid.push_back(value.real());
    std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume())), other(spectrum.size());
    std::vector<Complex> want(known.in.size()), first(known.in.size()), second(known.in.size()), third(known.in.size());
    fft.apply_potential(known.in, want, bands, potential);
    Pending one = fft.start_apply_potential(known.in, first, bands, potential);
    Pending two = fft.start_apply_potential(known.in, second, bands, potential);
    Pending three = dense.start_forward(grid, spectrum);
    Pending four = dense.start_forward(grid, other);
    work_between(two);
    work_between(one);
    work_between(three);
    fft.apply_potential(known.in, third, bands, potential);
    two.finish();
    one.finish();
    four.finish();
    three.finish();
    for (const auto* result : {&first, &second, &third}) expect_equal(*result, want);
    expect_equal(spectrum, other);
    dense.start_backward(spectrum, again).finish();
    expect_close<double>(again, grid, 1e-12);
  }
}

/// Messages of these algorithms start in any order, so that progress() needs no finish() on other ranks.
TEST(Started, ProgressAloneCompletesACall) {
  const Known known(false, bands);
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::shared, Algorithm::two_level}) {
    for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
      const FftOptions options{.policy = {.algorithm = algorithm, .window = 2}, .decomposition = decomposition};
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      const auto potential = potential_on(fft.grid_box());
      std::vector<Complex> want(known.in.size()), got(known.in.size());
      fft.apply_potential(known.in, want, bands, potential);
      Pending call = fft.start_apply_potential(known.in, got, bands, potential);
      while (!call.progress()) {
      }
      expect_equal(got, want);
      call.finish();
      expect_equal(got, want);
    }
  }
}

TEST(Started, FieldsAreTransformed) {
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise, Algorithm::ialltoallv}) {
    DenseFft<Complex> fft(MPI_COMM_WORLD, shape, {.policy = {.algorithm = algorithm}, .chunks = {2, 1}});
    std::vector<Field<Complex>> fields;
    for (int i = 0; i < 3; ++i) {
      fields.push_back(fft.allocate());
      const View<Complex> grid = fields.back().grid();
      for (std::int64_t z = 0; z < grid.shape[2]; ++z) {
        for (std::int64_t y = 0; y < grid.shape[1]; ++y) {
          for (std::int64_t x = 0; x < grid.shape[0]; ++x) grid(x, y, z) = Complex(i + 1, 0);
        }
      }
    }
    Pending forward = fft.start_forward(fields);
    work_between(forward);
    forward.finish();
    for (int i = 0; i < 3; ++i) {
      const View<Complex> spectrum = fields[static_cast<std::size_t>(i)].spectrum();
      if (spectrum.volume() == 0) continue;
      const Box& box = fft.spectrum_box();
      const bool first = box.axis[0].low == 0 && box.axis[1].low == 0;
      EXPECT_NEAR(spectrum(0, 0, 0).real(), first ? i + 1 : 0, 1e-12);
      compared();
    }
    fft.start_backward(fields).finish();
    fft.start_forward(fields);  // dropped: completes the exchanges
    fft.allocate();
  }
}

TEST(Started, ErrorsAreThrownByFinish) {
  const Known known(false, bands);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine,
                         {.policy = {.algorithm = Algorithm::pairwise, .window = 3}});
  std::vector<Complex> out(known.in.size());
  const auto potential = potential_on(fft.grid_box());
  const std::span<const double> values(potential.data(), rank() == 0 ? 0 : potential.size());
  Pending wrong = fft.start_apply_potential(known.in, out, bands, values);
  EXPECT_TRUE(wrong.progress());
  expect_error(Fault::bad_argument, "points: pass one value per point", [&] { wrong.finish(); });
  expect_error(Fault::bad_argument, "this started call is finished: start another", [&] { wrong.finish(); });
  expect_error(Fault::bad_argument, "this started call is finished: start another", [&] { wrong.progress(); });

  Pending failing = fft.start_round_trip(known.in, out, bands, [](std::int64_t band, const Box&, View<Complex>) {
    if (rank() == ranks() - 1 && band == 2) throw Error(Fault::bad_argument, "band 2 is bad");
  });
  work_between(failing);
  expect_error(Fault::bad_argument, "band 2 is bad", [&] { failing.finish(); });

  DenseFft<double> dense(MPI_COMM_WORLD, shape);
  std::vector<double> grid(static_cast<std::size_t>(dense.grid_box().volume()) + (rank() == 0 ? 1 : 0));
  std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume()));
  Pending sizes = dense.start_forward(grid, spectrum);
  EXPECT_TRUE(sizes.progress());
  expect_error(Fault::bad_argument, "fft: wrong array sizes", [&] { sizes.finish(); });
}

TEST(Started, CallsMayBeDroppedAndOutliveTheirPlan) {
  const Known known(false, bands);
  std::vector<Complex> out(known.in.size()), want(known.in.size());
  for (const FftOptions& options : options_of_starts()) {
    auto fft = std::make_unique<SphereFft<Complex>>(MPI_COMM_WORLD, shape, known.mine, options);
    const auto potential = potential_on(fft->grid_box());
    fft->start_apply_potential(known.in, out, bands, potential);
    fft->apply_potential(known.in, want, bands, potential);
    Pending late = fft->start_apply_potential(known.in, out, bands, potential);
    fft->close();
    fft.reset();
    late.finish();
    expect_equal(out, want);
    DenseFft<Complex> dense(MPI_COMM_WORLD, shape, {.policy = options.policy});
    std::vector<Complex> grid(static_cast<std::size_t>(dense.grid_box().volume()), 1.0);
    std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume()));
    const Box box = dense.spectrum_box();
    dense.start_forward(grid, spectrum);
    Pending last = dense.start_forward(grid, spectrum);
    dense.close();
    last.finish();
    if (!spectrum.empty() && box.axis[0].low == 0 && box.axis[1].low == 0) {
      EXPECT_NEAR(spectrum[0].real(), 1, 1e-12);
    }
  }
}

#ifdef SEICHE_CHECKS
TEST(Started, CallsFindChangedInputsInBuildsWithChecks) {
  const char* const said = "an input array of a started call was changed before finish()";
  const Known known(false, bands);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine);
  auto in = known.in;
  std::vector<Complex> out(in.size());
  auto potential = potential_on(fft.grid_box());
  Pending first = fft.start_apply_potential(in, out, bands, potential);
  if (rank() == ranks() - 1) potential[0] += 1;
  expect_error(Fault::bad_argument, said, [&] { first.finish(); });
  Pending second = fft.start_apply_potential(in, out, bands, potential);
  if (!in.empty()) in[0] = 0;
  expect_error(Fault::bad_argument, said, [&] { second.finish(); });
  fft.start_apply_potential(in, in, bands, potential).finish();

  DenseFft<Complex> dense(MPI_COMM_WORLD, shape);
  std::vector<Complex> grid(static_cast<std::size_t>(dense.grid_box().volume()));
  std::vector<Complex> spectrum(static_cast<std::size_t>(dense.spectrum_box().volume()));
  Pending third = dense.start_forward(std::span<const Complex>(grid), spectrum);
  if (rank() == 0) grid[0] = 1;
  expect_error(Fault::bad_argument, said, [&] { third.finish(); });
}
#endif

}  // namespace
}  // namespace seiche::testing
