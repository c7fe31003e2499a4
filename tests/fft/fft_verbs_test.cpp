// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the functions of sphere plans for potentials, densities, streams of bands and spinors against sums by
/// the definition. Tests that misuse is refused.
#include <algorithm>
#include <memory>

#include "fft/known_bands.hpp"
#include "fft/plan_cache.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Returns the weighted squares of the bands of this rank's group, as sums by the definition.
std::vector<double> density_by_definition(const SphereFft<Complex>& fft, const Known& known, std::size_t components) {
  std::vector<double> rho(static_cast<std::size_t>(fft.grid_box().volume()), 0.25);
  const auto groups = static_cast<std::size_t>(fft.report().band_groups);
  for (auto b = static_cast<std::size_t>(fft.first_band_here()); b < known.values.size() / components; b += groups) {
    for (std::size_t c = 0; c < components; ++c) {
      each_point(fft.grid_box(), [&](std::size_t point, std::size_t at) {
        rho[at] += weight_of(b) * std::norm(known.values[b * components + c][point]);
      });
    }
  }
  return rho;
}

TEST(Verbs, DensitiesAreSumsOfSquares) {
  constexpr std::size_t bands = 5;
  for (const bool sticks : {true, false}) {
    const Known known(sticks, bands);
    for (const FftOptions& options : some_options()) {
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      std::vector<double> rho(static_cast<std::size_t>(fft.grid_box().volume()), 0.25);
      fft.add_density(known.in, weights(bands), bands, rho);
      expect_close<double>(rho, density_by_definition(fft, known, 1), 1e-9);
    }
  }
}

/// Bands without weight are not used, even if their coefficients are NaN.
TEST(Verbs, BandsWithoutWeightAddNothing) {
  constexpr std::size_t bands = 7;
  Known known(false, bands);
  const std::size_t waves = known.mine.size();
  std::vector<double> some = weights(bands);
  for (const std::size_t empty : {0, 3, 4, 6}) {
    some[empty] = 0;
    std::fill_n(known.in.begin() + static_cast<std::ptrdiff_t>(empty * waves), waves, Complex(NAN, NAN));
    std::fill(known.values[empty].begin(), known.values[empty].end(), 0);
  }
  for (const FftOptions& options : some_options()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    std::vector<double> rho(static_cast<std::size_t>(fft.grid_box().volume()), 0.25);
    fft.add_density(known.in, some, bands, rho);
    expect_close<double>(rho, density_by_definition(fft, known, 1), 1e-9);
    fft.add_density(known.in, std::vector<double>(bands), bands, rho);
    expect_close<double>(rho, density_by_definition(fft, known, 1), 1e-9);
  }
}

/// For the potential 2 + cos(2 pi (x/nx + y/ny)), (V psi)(G) is twice the coefficient of G, plus half of the
/// coefficients of its two neighbours.
TEST(Verbs, PotentialsMoveWavesToTheirNeighbours) {
  const auto all = waves_of_radius(3);
  const auto mine = share_of(all, false);
  const auto coefficient = [](const Miller& g) { return Complex(1 + g.x + 0.5 * g.y, g.z - 0.25 * g.x); };
  std::vector<Complex> in, want;
  for (const Miller& g : mine) {
    in.push_back(coefficient(g));
    want.push_back(2.0 * in.back());
    for (const int sign : {-1, 1}) {
      const Miller neighbour{g.x + sign, g.y + sign, g.z};
      if (std::find(all.begin(), all.end(), neighbour) != all.end()) want.back() += 0.5 * coefficient(neighbour);
    }
  }
  for (FftOptions options : some_options()) {
    options.components = 1;
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, mine, options);
    const Box& box = fft.grid_box();
    std::vector<double> potential(static_cast<std::size_t>(box.volume()));
    each_point(box, [&](std::size_t point, std::size_t at) {
      const auto p = static_cast<std::int64_t>(point);
      const double x = static_cast<double>(p % shape.nx) / shape.nx,
                   y = static_cast<double>(p / shape.nx % shape.ny) / shape.ny;
      potential[at] = 2 + std::cos(2 * M_PI * (x + y));
    });
    std::vector<Complex> out(in.size());
    fft.apply_potential(in, out, 1, potential);
    expect_close<Complex>(out, want, 1e-12);
    expect_error(Fault::bad_argument, "with magnetism (got 0 values)", [&] { fft.apply_potential(in, out, 1, {}); });
  }
}

/// Bands are added in batches from memory that is overwritten after add(). Results have the same bits as in one call.
TEST(Verbs, StreamsTakeBandsAsTheyCome) {
  constexpr std::int64_t bands = 9;
  const Known known(false, bands);
  const std::size_t waves = known.mine.size();
  for (FftOptions options : some_options()) {
    options.reproducible = true;
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
    const std::int64_t groups = fft.report().band_groups;
    std::vector<std::vector<Complex>> seen(bands);
    const auto keep = [&](std::int64_t band, const Box& box, const View<Complex>& values) {
      auto& all = seen.at(static_cast<std::size_t>(band));
      for (std::int64_t y = 0; y < values.shape[1]; ++y) {
        const auto& mine = fft.grid_box();
        const auto row = (box.axis[2].low - mine.axis[2].low) * mine.size(1) + box.axis[1].low + y - mine.axis[1].low;
        std::copy_n(&values(0, y, 0), values.shape[0], all.begin() + row * mine.size(0));
      }
    };
    for (auto& one : seen) one.assign(static_cast<std::size_t>(fft.grid_box().volume()), Complex{});
    fft.backward(known.in, bands, keep);
    const auto at_once = seen;
    for (auto& one : seen) std::fill(one.begin(), one.end(), Complex{});
    {
      auto stream = fft.stream(keep);
      std::vector<Complex> buffer;
      std::int64_t next = 0;
      for (const std::int64_t more : {groups, std::int64_t{0}, 4 * groups, bands}) {  // first whole bundles
        const std::int64_t part = std::min(more, bands - next);
        const auto first = known.in.begin() + next * static_cast<std::int64_t>(waves);
        buffer.assign(first, first + part * static_cast<std::int64_t>(waves));
        stream.add(buffer, part);
        std::fill(buffer.begin(), buffer.end(), Complex(1e9, 1e9));
        next += part;
      }
      stream.finish();
      expect_error(Fault::bad_argument, "fft: this stream is finished", [&] { stream.add({}, 0); });
    }
    for (std::int64_t b = 0; b < bands; ++b) {
      const auto band = static_cast<std::size_t>(b);
      expect_equal(seen[band], at_once[band]);
      if (b % groups != fft.first_band_here()) continue;
      each_point(fft.grid_box(), [&](std::size_t point, std::size_t at) {
        if (std::abs(seen[band][at] - known.values[band][point]) > 1e-10) ADD_FAILURE() << "band " << b;
      });
    }
  }
}

TEST(Verbs, AStreamsFaultsComeAtItsEndOnAllRanks) {
  const Known known(true, 2);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine,
                         {.policy = {.algorithm = Algorithm::pairwise, .window = 3}});
  const auto nothing = [](std::int64_t, const Box&, const View<Complex>&) {};
  auto stream = fft.stream(nothing);
  stream.add(known.in, 2);
  if (rank() == 0) stream.fail(Error(Fault::bad_file, "band 2 is unreadable"));
  stream.add(known.in, 2);
  expect_error(Fault::bad_file, "band 2 is unreadable", [&] { stream.finish(); });
  auto short_of = fft.stream(nothing);
  short_of.add({known.in, rank() == ranks() - 1 ? -1 : 0}, 2);
  expect_error(Fault::bad_argument, "wrong row length of the input coefficients (-1)", [&] { short_of.finish(); });
  {
    auto dropped = fft.stream(nothing);
    dropped.add(known.in, 2);
  }
  std::vector<Complex> out(known.in.size());
  fft.round_trip(known.in, out, 2, double_values);  // the plan still works
  std::vector<Complex> want = known.in;
  for (Complex& value : want) value *= 2;
  expect_close<Complex>(out, want, 1e-12);
}

/// While a stream is open, its plan and plans with the same arguments transform other bands. Many other plans, which
/// exceed the cache, do not disturb the stream.
TEST(Verbs, PlansWorkBesideTheirStreams) {
  const Known known(false, 3);
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 2}};
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options), alike(MPI_COMM_WORLD, shape, known.mine, options);
  std::int64_t calls = 0;
  auto stream = fft.stream([&](std::int64_t, const Box&, const View<Complex>& values) { calls += values.volume(); });
  stream.add(known.in, 3);
  std::vector<Complex> want = known.in, out(want.size());
  for (Complex& value : want) value *= 2;
  for (SphereFft<Complex>* plan : {&fft, &alike}) {
    plan->round_trip(known.in, out, 3, double_values);
    expect_close<Complex>(out, want, 1e-12);
  }
  const FewPlans few(1);
  for (int other = 0; other < 2; ++other) {
    const std::vector<Miller> one{{rank(), other, 0}};
    SphereFft<Complex>(MPI_COMM_WORLD, {20, 12, 12}, one).exchange_only(1);
  }
  stream.add(known.in, 3);
  stream.finish();
  EXPECT_EQ(calls, 6 * fft.grid_box().volume());
}

TEST(Verbs, SpinorsAreSeenTogether) {
  constexpr std::size_t bands = 3;
  for (const bool sticks : {true, false}) {
    const Known known(sticks, 2 * bands);
    for (FftOptions options : some_options()) {
      options.components = 2;
      SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, options);
      std::vector<double> rho(static_cast<std::size_t>(fft.grid_box().volume()), 0.25);
      fft.add_density(known.in, weights(bands), bands, rho);
      expect_close<double>(rho, density_by_definition(fft, known, 2), 1e-9);
      std::vector<Complex> out(known.in.size()), want(known.in.size());
      fft.round_trip_spinors(known.in, out, bands,
                             [](std::int64_t, const Box&, const std::span<const View<Complex>>& of) {
                               for (std::int64_t y = 0; y < of[0].shape[1]; ++y) {  // flips the spin
                                 std::swap_ranges(&of[0](0, y, 0), &of[0](0, y, 0) + of[0].shape[0], &of[1](0, y, 0));
                               }
                             });
      const std::size_t n = known.mine.size();
      for (std::size_t i = 0; i < want.size(); ++i) want[i] = known.in[(i / n ^ 1U) * n + i % n];
      expect_close<Complex>(out, want, 1e-12);
      std::vector<Complex> grid(static_cast<std::size_t>(2 * fft.bands_here(bands) * fft.grid_box().volume()));
      fft.backward(known.in, grid, bands);
      fft.forward(grid, out, bands);
      expect_close<Complex>(out, known.in, 1e-12);
      expect_error(Fault::bad_argument, "use round_trip_spinors, whose callback receives all components",
                   [&] { fft.round_trip(known.in, out, bands, double_values); });
    }
  }
  expect_error(Fault::bad_argument, "fft: the number of components must be 1, or 2 for spinors (got 3)",
               [] { SphereFft<Complex>(MPI_COMM_WORLD, shape, std::vector<Miller>{}, {.components = 3}); });
}

TEST(Verbs, AFunctionCannotUseThePlanThatCallsIt) {
  const Known known(true, 2);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine), alike(MPI_COMM_WORLD, shape, known.mine);
  std::vector<Complex> out(known.in.size()), other(known.in.size());
  for (SphereFft<Complex>* plan : {&fft, &alike}) {
    expect_error(Fault::bad_argument, "a callback used the plan that called it", [&] {
      fft.round_trip(known.in, out, 2, [&](std::int64_t, const Box&, const View<Complex>&) {
        plan->round_trip(known.in, other, 2, double_values);
      });
    });
  }
  fft.round_trip(known.in, out, 2, double_values);
  std::vector<Complex> want = known.in;
  for (Complex& value : want) value *= 2;
  expect_close<Complex>(out, want, 1e-12);
}

TEST(Verbs, PlansMadeAlikeHaveTheirOwnProgress) {
  const Known known(true, 2);
  SphereFft<Complex> first(MPI_COMM_WORLD, shape, known.mine), second(MPI_COMM_WORLD, shape, known.mine);
  std::vector<Complex> out(known.in.size());
  first.round_trip(known.in, out, 2, double_values);
  const double worked = first.progress().worked;
  EXPECT_GT(worked, 0);
  EXPECT_EQ(second.progress().worked, 0);
  second.round_trip(known.in, out, 2, double_values);
  EXPECT_EQ(first.progress().worked, worked);
  compared(3);
}

TEST(Verbs, WhatIsClosedSaysSo) {
  const Known known(true, 1);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine), alike(MPI_COMM_WORLD, shape, known.mine);
  std::vector<Complex> out(known.in.size());
  fft.round_trip(known.in, out, 1, double_values);
  for (int twice = 0; twice < 2; ++twice) fft.close();
  expect_error(Fault::bad_argument, "fft: this plan is closed",
               [&] { fft.round_trip(known.in, out, 1, double_values); });
  expect_error(Fault::bad_argument, "fft: this plan is closed", [&] { fft.report(); });
  alike.round_trip(known.in, out, 1, double_values);
  compared(1);
}

TEST(Verbs, AllRanksBringAsManyBands) {
  const Known known(true, 2);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine);
  std::vector<Complex> out(known.in.size());
  const auto mine = std::span(known.in).first(known.mine.size() * (rank() == 0 ? 1 : 2));
  const auto call = [&] {
    fft.round_trip(mine, std::span(out).first(mine.size()), rank() == 0 ? 1 : 2, double_values);
  };
  const auto exchange = [&] { fft.exchange_only(rank() == 0 ? 1 : 2); };
  if (ranks() > 1) {
    const char* sentence = ": bands is 2 on rank 1, but 1 on rank 0: pass the same value on all ranks";
    expect_error(Fault::bad_argument, sentence, call);
    expect_error(Fault::bad_argument, sentence, exchange);
#ifdef SEICHE_CHECKS
    auto stream = fft.stream([](std::int64_t, const Box&, View<Complex>) {});
    expect_error(Fault::bad_argument, sentence, [&] { stream.add(mine, rank() == 0 ? 1 : 2); });
#endif
  }
  expect_error(Fault::bad_argument, "fft: the number of bands must not be negative (got -1)",
               [&] { fft.exchange_only(rank() == 0 ? -1 : 2); });
  fft.exchange_only(0);
  fft.round_trip(known.in, out, 2, double_values);
  compared(1);
}

TEST(Verbs, BoxesAreKnownWithoutAPlan) {
  for (const FftOptions& options : some_options()) {
    const SphereFft<Complex> fft(MPI_COMM_WORLD, shape, share_of(Known::all(), true), options);
    const auto boxes = sphere_grid_boxes(ranks(), shape, options);
    EXPECT_EQ(boxes[static_cast<std::size_t>(rank())], fft.grid_box());
    std::int64_t points = 0;
    for (const Box& box : boxes) points += box.volume();
    EXPECT_EQ(points, shape.volume() * fft.report().band_groups);
    compared(2);
  }
  expect_error(Fault::bad_argument,
               "fft: the number of band groups must divide the number of ranks (got 2 groups for 3 ranks)",
               [] { sphere_grid_boxes(3, shape, {.band_groups = 2}); });
}

TEST(Verbs, TheWayLocalIsForOneRank) {
  if (ranks() == 1) GTEST_SKIP() << "one rank may use local";
  expect_error(Fault::bad_argument, "the exchange algorithm 'local' sends nothing",
               [] { DenseFft<Complex>(MPI_COMM_WORLD, shape, {.policy = {.algorithm = Algorithm::local}}); });
}

}  // namespace
}  // namespace seiche::testing
