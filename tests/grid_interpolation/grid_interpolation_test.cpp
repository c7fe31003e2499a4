// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests interpolation between dense grids against sums by the definition, for tables of settings in which each
/// pair of settings occurs.
#include <array>
#include <numbers>
#include <string>

#include "fft/plan_cache.hpp"
#include "grid_interpolation/interpolation_case.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

bool same_ranks(const GridShape& a, const GridShape& b, Decomposition decomposition) {
  const ProcessGrid one = dense_ranks(ranks(), a, decomposition), other = dense_ranks(ranks(), b, decomposition);
  return one.slow == other.slow && one.fast == other.fast;
}

/// Interpolates twice, so that memory of the first call has been used, and transforms with a plan between.
template <class Value>
void check(const InterpolationCase<Value>& of, const FftOptions& options, bool starts) {
  DenseFft<Value> from(MPI_COMM_WORLD, of.from, options), to(MPI_COMM_WORLD, of.to, options);
  const auto make = [&] { return GridInterpolation<Value>(from, to, of.fields()); };
  if (!same_ranks(of.from, of.to, options.decomposition)) {
    return expect_error(Fault::bad_argument, "grid_interpolation: the plans have different distributions, ", make);
  }
  auto interpolation = make();
  EXPECT_EQ(interpolation.fields(), of.fields());
  const auto given = of.on(from.grid_box(), of.grids.grid, of.from);
  const auto want = of.on(to.grid_box(), of.results, of.to);
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto grid = given;
    std::vector<Value> result(want.size(), Value(-7));
    starts ? end(interpolation.start_apply(grid, result)) : interpolation.apply(grid, result);
    expect_close<Value>(result, want, of.tolerance());
    expect_close<Value>(grid, given, 0);
    std::vector<typename ComplexOf<Value>::type> spectrum(static_cast<std::size_t>(from.spectrum_box().volume()));
    from.forward(std::span(grid).first(static_cast<std::size_t>(from.grid_box().volume())), spectrum);
  }
}

struct Flow {
  int window, threads;
  std::vector<int> chunks;
};

struct Settings {
  std::array<std::pair<GridShape, GridShape>, 10> shapes{{{{5, 6, 7}, {8, 9, 10}},
                                                          {{8, 6, 10}, {5, 4, 7}},
                                                          {{4, 9, 6}, {7, 5, 6}},
                                                          {{7, 4, 5}, {6, 8, 3}},
                                                          {{6, 8, 4}, {8, 12, 6}},
                                                          {{9, 12, 6}, {6, 8, 4}},
                                                          {{1, 1, 1}, {3, 2, 4}},
                                                          {{2, 5, 3}, {1, 2, 1}},
                                                          {{8, 11, 13}, {17, 7, 16}},
                                                          {{6, 5, 8}, {6, 5, 8}}}};
  std::vector<Algorithm> algorithms = ways_here();
  std::array<Flow, 4> flows{{{0, 1, {}}, {2, 2, {3, 1}}, {1, 1, {1, 1, 1}}, {3, 2, {1, 2, 3, 4, 5}}}};

  std::vector<std::size_t> counts() const {
    return {4, shapes.size(), all_decompositions.size(), 3, algorithms.size() + 1, flows.size(), 2};
  }
  void check_row(const Choice& row) const {
    check_kind_of(row, [&]<class Value>(Value) {
      const auto& [from, to] = shapes[row[1]];
      const Flow& flow = flows[row[5]];
      const FftOptions options{
          .policy = {.algorithm = row[4] == 0 ? Algorithm::automatic : algorithms[row[4] - 1], .window = flow.window},
          .decomposition = all_decompositions[row[2]],
          .threads = flow.threads,
          .chunks = flow.chunks};
      check(InterpolationCase<Value>(from, to, static_cast<std::int64_t>(row[3]) + 1), options, row[6] == 1);
    });
  }
};

TEST(GridInterpolation, ResultsEqualSumsByTheDefinition) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check_row(row);
  }
}

/// All chunks of several fields are in flight.
TEST(GridInterpolation, LargeGridsInManyChunks) {
  const InterpolationCase<Wide> complex({20, 26, 23}, {24, 20, 30}, 2);
  const InterpolationCase<double> real({21, 18, 25}, {16, 27, 20}, 3);
  for (const auto decomposition : all_decompositions) {
    const FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 2},
                             .decomposition = decomposition,
                             .chunks = {1, 2, 1, 1}};
    check(complex, options, false);
    check(real, options, true);
  }
}

/// A function of few waves in closed form. Waves of the target grid only, and of the source grid only, do not occur in
/// the result.
TEST(GridInterpolation, WavesInClosedForm) {
  const GridShape coarse{6, 5, 8}, fine{9, 10, 11};
  DenseFft<double> on_coarse(MPI_COMM_WORLD, coarse), on_fine(MPI_COMM_WORLD, fine);
  const auto field = [](const DenseFft<double>& fft, const GridShape& shape, double of_fine_waves) {
    std::vector<double> values(static_cast<std::size_t>(fft.grid_box().volume()));
    each_point(consecutive(fft.grid_box()), 0, [&](const Point& p, std::size_t at) {
      const auto part = [&](std::size_t axis, std::int64_t n) {
        return 2 * std::numbers::pi * static_cast<double>(p[axis]) / static_cast<double>(n);
      };
      const double x = part(0, shape.nx), y = part(1, shape.ny), z = part(2, shape.nz);
      values[at] = 0.3 + std::cos(2 * x - y + 3 * z) + std::sin(x + 2 * y) +
                   std::cos(3 * x) * std::cos(4 * z) * std::cos(y) +
                   of_fine_waves * (std::cos(4 * x) + std::sin(3 * y - z) + std::cos(x - 5 * z));
    });
    return values;
  };
  std::vector<double> up(static_cast<std::size_t>(on_fine.grid_box().volume()));
  GridInterpolation<double>(on_coarse, on_fine).apply(field(on_coarse, coarse, 0), up);
  expect_close<double>(up, field(on_fine, fine, 0), 1e-13);
  std::vector<double> down(static_cast<std::size_t>(on_coarse.grid_box().volume()));
  GridInterpolation<double>(on_fine, on_coarse).apply(field(on_fine, fine, 1), down);
  expect_close<double>(down, field(on_coarse, coarse, 0), 1e-13);
}

TEST(GridInterpolation, ToAFinerGridAndBackIsTheIdentity) {
  const GridShape coarse{6, 7, 4}, fine{12, 8, 9};
  const Grids<Wide> of(coarse, 1);
  for (const auto decomposition : all_decompositions) {
    DenseFft<Wide> on_coarse(MPI_COMM_WORLD, coarse, {.decomposition = decomposition});
    DenseFft<Wide> on_fine(MPI_COMM_WORLD, fine, {.decomposition = decomposition});
    if (!same_ranks(coarse, fine, decomposition)) continue;
    const auto given = InterpolationCase<Wide>::on(on_coarse.grid_box(), of.grid, coarse);
    std::vector<Wide> up(static_cast<std::size_t>(on_fine.grid_box().volume())), back(given.size());
    GridInterpolation<Wide>(on_coarse, on_fine).apply(given, up);
    GridInterpolation<Wide>(on_fine, on_coarse).apply(up, back);
    expect_close<Wide>(back, given, 1e-13);
  }
}

/// Calls with the same arguments, and in both directions, are in flight together. Calls keep their data.
TEST(GridInterpolation, SeveralAreStarted) {
  const GridShape a{6, 9, 8}, b{8, 6, 11};
  const std::array<InterpolationCase<double>, 3> cases{{{a, b, 2}, {a, b, 2}, {b, a, 1}}};
  for (const Algorithm algorithm : ways_here()) {
    const FftOptions options{.policy = {.algorithm = algorithm}};
    DenseFft<double> on_a(MPI_COMM_WORLD, a, options), on_b(MPI_COMM_WORLD, b, options);
    std::vector<std::vector<double>> given, want, results;
    for (const auto& one : cases) {
      const bool up = one.from == a;
      given.push_back(one.on((up ? on_a : on_b).grid_box(), one.grids.grid, one.from));
      want.push_back(one.on((up ? on_b : on_a).grid_box(), one.results, one.to));
      results.emplace_back(want.back().size());
    }
    std::vector<Pending> pending;
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const bool up = cases[c].from == a;
      GridInterpolation<double> one(up ? on_a : on_b, up ? on_b : on_a, cases[c].fields());
      pending.push_back(one.start_apply(given[c], results[c]));
    }
    on_a.close();
    on_b.close();
    for (Pending& one : pending) end(std::move(one));
    for (std::size_t c = 0; c < cases.size(); ++c) expect_close<double>(results[c], want[c], 1e-10);
  }
}

/// A plan cache that keeps one plan closes the data of interpolations. The next call creates them again.
TEST(GridInterpolation, DataAreReopened) {
  const InterpolationCase<double> of({6, 5, 4}, {4, 7, 8}, 1);
  DenseFft<double> from(MPI_COMM_WORLD, of.from), to(MPI_COMM_WORLD, of.to);
  GridInterpolation<double> interpolation(from, to);
  const auto given = of.on(from.grid_box(), of.grids.grid, of.from);
  const auto want = of.on(to.grid_box(), of.results, of.to);
  const PlanLimits limits = plan_limits();
  plan_limits().exchanges = 1;
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<double> result(want.size());
    interpolation.apply(given, result);
    expect_close<double>(result, want, 1e-11);
    DenseFft<double>(MPI_COMM_WORLD, {3, 4, 5 + repeat});  // closes other plans
  }
  plan_limits() = limits;
}

class GridInterpolationErrors : public ::testing::Test {
 protected:
  static bool on_last() { return rank() == ranks() - 1; }
  template <class Work>
  static void rejected(const std::string& part, Work&& work) {
    expect_error(Fault::bad_argument, part, std::forward<Work>(work));
  }
  GridShape coarse_{4, 6, 7}, fine_{6, 8, 9};
  DenseFft<Wide> from_{MPI_COMM_WORLD, coarse_}, to_{MPI_COMM_WORLD, fine_};
};

TEST_F(GridInterpolationErrors, OfPlans) {
  using Interpolation = GridInterpolation<Wide>;
  rejected("grid_interpolation: the number of fields must be 1 to 65536 (got 0)",
           [&] { Interpolation(from_, to_, 0); });
  DenseFft<Wide> of_callers(MPI_COMM_WORLD, coarse_, arrays_of<Wide>(coarse_, {.fields = 2}));
  const std::string callers = "grid_interpolation: a plan transforms the caller's arrays: create plans without arrays";
  rejected(callers, [&] { Interpolation(of_callers, to_); });
  rejected(callers, [&] { Interpolation(to_, of_callers); });
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  {
    DenseFft<Wide> elsewhere(copy, fine_);
    rejected("grid_interpolation: the plans have different communicators: create both with the same one",
             [&] { Interpolation(from_, elsewhere); });
  }
  MPI_Comm_free(&copy);
  DenseFft<Wide> on_device(MPI_COMM_WORLD, fine_, {.space = Space::cuda});
  expect_error(Fault::unsupported,
               "grid_interpolation: interpolation is not available on a device: create both plans with the space "
               "'host'",
               [&] { Interpolation(from_, on_device); });
  DenseFft<Wide> closed(MPI_COMM_WORLD, fine_);
  closed.close();
  rejected("fft: this plan is closed or moved from: create another",
           [&] { Interpolation(from_, on_last() ? closed : to_); });
}

TEST_F(GridInterpolationErrors, OfDistributions) {
  DenseFft<Wide> slabs(MPI_COMM_WORLD, coarse_, {.decomposition = Decomposition::slab});
  DenseFft<Wide> pencils(MPI_COMM_WORLD, fine_, {.decomposition = Decomposition::pencil});
  if (ranks() == 4) {
    rejected(
        "grid_interpolation: the plans have different distributions, slab of 4 x 1 ranks and pencil of 2 x 2 "
        "ranks: create both with the same decomposition, for example slabs",
        [&] { GridInterpolation<Wide>(slabs, pencils); });
  }
  DenseFft<Wide> others(MPI_COMM_WORLD, coarse_, {.decomposition = Decomposition::pencil_yz});
  if (ranks() == 4) {
    rejected("pencil_yz of 2 x 2 ranks and pencil of 2 x 2 ranks", [&] { GridInterpolation<Wide>(others, pencils); });
  }
  compared();
}

TEST_F(GridInterpolationErrors, OfArrays) {
  GridInterpolation<Wide> interpolation(from_, to_);
  std::vector<Wide> grid(static_cast<std::size_t>(from_.grid_box().volume()));
  std::vector<Wide> result(static_cast<std::size_t>(to_.grid_box().volume()));
  auto longer = grid, longer_result = result;
  longer.emplace_back();
  longer_result.emplace_back();
  rejected("grid_interpolation: wrong size of the source array: this rank has ",
           [&] { interpolation.apply(on_last() ? longer : grid, result); });
  rejected("grid_interpolation: wrong size of the target array: this rank has ",
           [&] { interpolation.start_apply(grid, on_last() ? longer_result : result).finish(); });
  rejected("grid_interpolation: the arrays overlap: pass separate arrays", [&] {
    std::vector<Wide> both(grid.size() + result.size());
    const std::size_t shift = grid.size() > 0 && on_last() ? 1 : 0;
    interpolation.apply(std::span(both).subspan(result.size() - shift, grid.size()),
                        std::span(both).first(result.size()));
  });
  interpolation.apply(grid, result);
  interpolation.close();
  rejected("grid_interpolation: this interpolation is closed or moved from: create another",
           [&] { interpolation.apply(grid, result); });
  rejected("create another", [&] { interpolation.start_apply(grid, result); });
  rejected("create another", [&] { interpolation.fields(); });
}

}  // namespace
}  // namespace seiche::testing
