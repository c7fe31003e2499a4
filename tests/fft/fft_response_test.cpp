// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests calls that join bands of two plans on the grid: complex potentials, and products of bands. Expected
/// results are sums by the definition.
#include <memory>
#include <utility>

#include "fft/sphere_case.hpp"
#include "fft/sphere_verbs.hpp"
#include "support/bands.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

struct ResponseCase {
  GridShape shape{7, 10, 9};
  Spread spread = Spread::cyclic, other_spread = Spread::cyclic;
  std::int64_t bands = 5;
  int components = 1;
  double radius = 0.8;  // of the waves at k, relative to the ellipsoid of the grid
};

/// Bands at k and at k + q, whose waves differ, and a complex potential on the whole grid.
template <class Number>
struct ResponseData {
  static constexpr double tolerance = 4 * Bands<Number>::tolerance;
  explicit ResponseData(const ResponseCase& of)
      : k({of.shape, of.spread, of.bands, of.components}, waves_in(of.shape, false, of.radius)),
        kq({of.shape, of.other_spread, of.bands, of.components}, waves_in(of.shape, false, 0.7, 0.4), 50),
        fields(of.components == 2 ? 4 : 1) {
    for (int f = 0; f < 4; ++f) potential.push_back(random_values(of.shape.volume(), 90U + static_cast<unsigned>(f)));
  }
  /// Returns the elements (f, row, column) of the potential of `count` fields at a point.
  Wide element(std::int64_t count, std::int64_t row, std::int64_t column, std::size_t at) const {
    if (count == 1) return row == column ? potential[0][at] : 0;
    Wide sum = 0;
    for (std::size_t f = 0; f < 4; ++f) {
      sum += pauli[f][static_cast<std::size_t>(2 * row + column)] * potential[f][at];
    }
    return sum;
  }
  /// Returns the coefficients of V psi on the waves of `target`, of this rank.
  std::vector<Number> perturbed(const Bands<Number>& target, std::int64_t count) const {
    return target.coefficients_of([&](std::int64_t band, std::int64_t component, std::size_t at) {
      Wide sum = 0;
      for (std::int64_t c = 0; c < k.components; ++c) sum += element(count, component, c, at) * k.row(band, c)[at];
      return sum;
    });
  }
  /// Returns sum_b w_b psi_b^* sigma_f phi_b on a box, with the bands of one band group.
  std::vector<Complex> products(const Bands<Number>& right, const SphereFft<Number>& fft, std::int64_t count) const {
    const auto size = static_cast<std::size_t>(count * fft.grid_box().volume());
    return values_in<Complex>(consecutive(fft.grid_box()), count, size, k.shape, [&](std::int64_t f, std::size_t at) {
      Wide sum = 0;
      for (std::int64_t b = fft.first_band_here(); b < k.bands; b += fft.report().band_groups) {
        for (std::int64_t i = 0; i < k.components; ++i) {
          for (std::int64_t j = 0; j < k.components; ++j) {
            const Complex sigma = k.components == 1 ? 1 : pauli[std::size_t(f)][std::size_t(2 * i + j)];
            sum += weight_of(b) * std::conj(k.row(b, i)[at]) * sigma * right.row(b, j)[at];
          }
        }
      }
      return sum;
    });
  }
  std::vector<Complex> potential_here(const SphereFft<Number>& fft, std::int64_t count) const {
    return values_in<Complex>(consecutive(fft.grid_box()), count,
                              static_cast<std::size_t>(count * fft.grid_box().volume()), k.shape,
                              [&](std::int64_t f, std::size_t at) { return potential[std::size_t(f)][at]; });
  }

  Bands<Number> k, kq;
  std::int64_t fields;
  std::vector<std::vector<Wide>> potential;
};

/// Checks all calls between the plans `from` and `to`, which has the waves of `right`.
template <class Number>
void check_calls(const ResponseData<Number>& data, SphereFft<Number>& from, SphereFft<Number>& to,
                 const Bands<Number>& right) {
  const Bands<Number>& left = data.k;
  for (std::int64_t count = 1; count <= data.fields; count += 3) {
    const auto potential = data.potential_here(from, count);
    const auto want = data.perturbed(right, count);
    for (const bool adds : {false, true}) {
      const Result result = adds ? Result::adds : Result::replaces;
      for (const bool started : {false, true}) {
        CallersRows<Number> in(left.in, left.mine.size(), left.rows(), adds, false);
        CallersRows<Number> out(right.in, right.mine.size(), right.rows(), adds, false);
        if (started) {
          finished(from.start_apply_perturbation(to, in.rows(), out.rows(), left.bands, potential, result));
        } else {
          from.apply_perturbation(to, in.rows(), out.rows(), left.bands, potential, result);
        }
        out.expect(adds ? sum_of(want, right.in) : want, data.tolerance);
      }
    }
    const auto products = data.products(right, from, count);
    auto density = products, later = products;  // to which the products are added
    CallersRows<Number> in(left.in, left.mine.size(), left.rows(), true, false);
    CallersRows<Number> other(right.in, right.mine.size(), right.rows(), true, false);
    from.add_products(to, in.rows(), other.rows(), weights(left.bands), left.bands, density);
    finished(from.start_add_products(to, left.in, right.in, weights(left.bands), left.bands, later));
    for (const auto* sum : {&density, &later}) expect_close<Complex>(*sum, times(products, 2), data.tolerance);
  }
}

template <class Number>
void check_plans(const ResponseCase& of, const FftOptions& options, const FftOptions& others) {
  const ResponseData<Number> data(of);
  SphereFft<Number> from = data.k.plan(options), to = data.kq.plan(others);
  check_calls(data, from, to, data.kq);
  expect_works(from, data.k);  // the plans work as before
  expect_works(to, data.kq);
}

TEST(Response, WithEachExchange) {
  for (const Algorithm algorithm : ways_here()) {
    for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
      const FftOptions options{.policy = {.algorithm = algorithm, .window = 2}, .decomposition = decomposition};
      check_plans<Complex>({}, options, options);
    }
  }
}

TEST(Response, WithOtherWavesOnEachRank) {
  for (const Spread spread : {Spread::sticks, Spread::blocks, Spread::last_rank, Spread::scattered}) {
    check_plans<Complex>({.spread = spread, .other_spread = Spread::sticks}, {}, {});
    check_plans<Complex>({.spread = Spread::sticks, .other_spread = spread, .components = 2}, {}, {});
  }
}

TEST(Response, WithOtherOptions) {
  for (const int components : {1, 2}) {
    const ResponseCase of{.shape = {11, 7, 13}, .components = components};
    const FftOptions one{.policy = {.window = 1}}, four{.policy = {.window = 4}};
    check_plans<Complex>(of, one, four);
    check_plans<Complex>(of, four, one);
    const FftOptions threads{.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread, .window = 3},
                             .threads = 2,
                             .reproducible = true};
    check_plans<Complex>(of, threads, threads);
    const FftOptions groups{.decomposition = Decomposition::slab, .band_groups = ranks()};
    check_plans<Complex>(of, groups, groups);
    check_plans<std::complex<float>>(of, four, four);
  }
}

TEST(Response, OfFewBandsAndWaves) {
  for (const std::int64_t bands : {0, 1, 2}) check_plans<Complex>({.bands = bands, .components = 2}, {}, {});
  check_plans<Complex>({.shape = {1, 5, 1}, .bands = 3}, {}, {});
  check_plans<Complex>({.radius = 0}, {}, {});
}

/// At q = 0, both sides may be one plan, or plans with the same arguments, which share memory.
TEST(Response, OfOnePlan) {
  for (const int components : {1, 2}) {
    ResponseData<Complex> data({.components = components});
    const Bands<Complex> right({data.k.shape, Spread::cyclic, data.k.bands, components}, data.k.all, 70);
    for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil}) {
      SphereFft<Complex> fft = data.k.plan({.decomposition = decomposition}),
                         alike = data.k.plan({.decomposition = decomposition});
      check_calls(data, fft, fft, right);
      check_calls(data, fft, alike, right);
    }
  }
}

TEST(Response, OfStartedCallsAtTheSameTime) {
  const ResponseData<Complex> data({.components = 2});
  for (const Algorithm algorithm : ways_here()) {
    const FftOptions options{.policy = {.algorithm = algorithm, .window = 2}};
    SphereFft<Complex> from = data.k.plan(options);
    auto to = std::make_unique<SphereFft<Complex>>(data.kq.plan(options));
    const auto potential = data.potential_here(from, 4);
    std::vector<Complex> first(data.kq.in.size()), second = first, third = first;
    const auto products = data.products(data.kq, from, 4);
    auto density = times(products, 0);
    from.start_apply_perturbation(*to, data.k.in, third, data.k.bands, potential);  // dropped
    Pending one = from.start_apply_perturbation(*to, data.k.in, first, data.k.bands, potential);
    Pending two = from.start_add_products(*to, data.k.in, data.kq.in, weights(data.k.bands), data.k.bands, density);
    from.apply_perturbation(*to, data.k.in, second, data.k.bands, potential);
    expect_works(*to, data.kq);
    to->close();
    to.reset();
    for (int i = 0; i < 5 * (rank() + 1); ++i) two.progress(), one.progress();
    two.finish();
    one.finish();
    const auto want = data.perturbed(data.kq, 4);
    for (const auto* result : {&first, &second}) expect_close<Complex>(*result, want, data.tolerance);
    expect_close<Complex>(density, products, data.tolerance);
    expect_works(from, data.k);
  }
}

/// With FftOptions::reproducible, results have the same bits with all numbers of threads.
TEST(Response, IsReproducible) {
  const ResponseData<Complex> data({.components = 2});
  std::vector<std::vector<Complex>> results, densities;
  for (const int threads : {1, 3}) {
    const FftOptions options{.threads = threads, .reproducible = true};
    SphereFft<Complex> from = data.k.plan(options), to = data.kq.plan(options);
    const auto potential = data.potential_here(from, 4);
    densities.emplace_back(potential.size());
    results.emplace_back(data.kq.in.size());
    from.apply_perturbation(to, data.k.in, results.back(), data.k.bands, potential);
    from.add_products(to, data.k.in, data.kq.in, weights(data.k.bands), data.k.bands, densities.back());
  }
  expect_equal(results[1], results[0]);
  expect_equal(densities[1], densities[0]);
}

bool is_last() { return rank() == ranks() - 1; }

class ResponseErrors : public ::testing::Test {
 protected:
  const ResponseData<Complex> data_{{.bands = 2}};
  SphereFft<Complex> from_ = data_.k.plan(), to_ = data_.kq.plan();
  std::vector<Complex> in_ = data_.k.in, other_ = data_.kq.in, out_ = other_,
                       potential_ = data_.potential_here(from_, 1);
  std::vector<Complex> density_ = potential_;

  void TearDown() override { check_calls(data_, from_, to_, data_.kq); }
  static void refused(Fault fault, const std::string& part, const std::function<void()>& work) {
    expect_error(fault, part, work);
  }
  /// Checks that both calls between plans give an error, also if they are started.
  template <class Number>
  void both_refused(Fault fault, const std::string& part, SphereFft<Number>& from, SphereFft<Number>& to) {
    using Rows = std::vector<typename ComplexOf<Number>::type>;
    const Rows in(10000);
    Rows out(10000);
    std::vector<Complex> here(potential_.size());
    refused(fault, part, [&] { from.apply_perturbation(to, in, out, 2, here); });
    refused(fault, part, [&] { from.start_apply_perturbation(to, in, out, 2, here).finish(); });
    refused(fault, part, [&] { from.add_products(to, in, in, weights(2), 2, here); });
    refused(fault, part, [&] { from.start_add_products(to, in, in, weights(2), 2, here).finish(); });
  }
};

TEST_F(ResponseErrors, OfPlansThatDoNotFit) {
  const std::string sentence = "fft: the plans have another communicator, grid, decomposition, number of band groups, ";
  SphereFft<Complex> other(MPI_COMM_WORLD, {7, 10, 11}, data_.kq.mine);
  both_refused(Fault::bad_argument, sentence, from_, other);
  SphereFft<Complex> spinors(MPI_COMM_WORLD, data_.k.shape, data_.kq.mine, {.components = 2});
  both_refused(Fault::bad_argument, sentence, from_, spinors);
  SphereFft<Complex> threads(MPI_COMM_WORLD, data_.k.shape, data_.kq.mine, {.threads = is_last() ? 2 : 1});
  both_refused(Fault::bad_argument, sentence, from_, threads);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  {
    SphereFft<Complex> elsewhere(copy, data_.k.shape, data_.kq.mine);
    both_refused(Fault::bad_argument, sentence, from_, elsewhere);
  }
  MPI_Comm_free(&copy);
  if (ranks() > 1) {
    SphereFft<Complex> groups(MPI_COMM_WORLD, data_.k.shape, data_.kq.mine, {.band_groups = ranks()});
    SphereFft<Complex> one(MPI_COMM_WORLD, data_.k.shape, data_.kq.mine, {.band_groups = 1});
    both_refused(Fault::bad_argument, sentence, one, groups);
  }
}

TEST_F(ResponseErrors, OfKindsThatAreNotServed) {
  SphereFft<double> half(MPI_COMM_WORLD, data_.k.shape, std::vector<Miller>{});
  both_refused(Fault::unsupported, "needs full spheres, but this plan has a half sphere", half, half);
  SphereFft<Complex> device(MPI_COMM_WORLD, data_.k.shape, data_.k.mine, {.space = Space::cuda});
  both_refused(Fault::unsupported, "is not available on a device: create both plans with the space 'host'", device,
               device);
}

TEST_F(ResponseErrors, OfArrays) {
  const auto bad = [](const std::string& part, const std::function<void()>& work) {
    refused(Fault::bad_argument, part, work);
  };
  const auto shorter = [](auto& array) { return std::span(array).first(array.size() - (is_last() ? 1 : 0)); };
  bad("fft: the array of input coefficients is too short (",
      [&] { from_.apply_perturbation(to_, shorter(in_), out_, 2, potential_); });
  bad("fft: the array of output coefficients is too short (",
      [&] { from_.apply_perturbation(to_, in_, shorter(out_), 2, potential_); });
  bad("points: pass one value per point", [&] {
    from_.apply_perturbation(to_, in_, out_, 2, std::vector<Complex>(is_last() ? 5000U : potential_.size()));
  });
  bad("fft: the input and output arrays overlap: pass separate arrays",
      [&] { from_.apply_perturbation(from_, in_, in_, 2, potential_); });
  bad("fft: the array of left coefficients is too short (",
      [&] { from_.add_products(to_, shorter(in_), other_, weights(2), 2, density_); });
  bad("fft: the array of right coefficients is too short (",
      [&] { from_.add_products(to_, in_, shorter(other_), weights(2), 2, density_); });
  bad("fft: 2 bands need one weight each (got 3 weights)",
      [&] { from_.add_products(to_, in_, other_, weights(is_last() ? 3 : 2), 2, density_); });
  bad("points: pass one value per point", [&] {
    from_.add_products(to_, in_, other_, weights(2), 2, std::span(density_).first(is_last() ? 0 : density_.size()));
  });
  bad("fft: wrong number of bands (-1): pass 0 to ", [&] { from_.apply_perturbation(to_, in_, out_, -1, potential_); });
}

TEST_F(ResponseErrors, OfClosedPlans) {
  auto closed = data_.kq.plan();
  closed.close();
  both_refused(Fault::bad_argument, "fft: this plan is closed", closed, to_);
  both_refused(Fault::bad_argument, "fft: this plan is closed", from_, closed);
}

/// A callback may not use its plan, also not as the other one.
TEST_F(ResponseErrors, OfCallsInACallback) {
  SphereFft<Complex> alone(MPI_COMM_SELF, data_.k.shape, std::vector<Miller>{{0, 0, 0}}),
      other(MPI_COMM_SELF, data_.k.shape, std::vector<Miller>{{0, 1, 0}});
  const std::vector<Complex> in(1), here(static_cast<std::size_t>(data_.k.shape.volume()));
  std::vector<Complex> out(1);
  refused(Fault::bad_argument, "fft: a callback used the plan that called it", [&] {
    alone.to_grid(in, 1, [&](std::int64_t, const Box&, const View<Complex>&) {
      other.apply_perturbation(alone, in, out, 1, here);
    });
  });
}

}  // namespace
}  // namespace seiche::testing
