// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests operators on dense grids against sums by the definition, on the host and on a device, for tables of
/// settings in which each pair of settings occurs.
#include <array>
#include <optional>

#include "grid_operator/operator_case.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Applies an operator twice, so that memory of the plan has been used, and between them transforms of the same plan.
template <class Value>
void check(const OperatorCase<Value>& of, const FftOptions& options, const DenseUse& use) {
  using Complex = typename ComplexOf<Value>::type;
  DenseFft<Value> fft(MPI_COMM_WORLD, of.shape, options);
  auto op = of.make(fft);
  EXPECT_EQ(op.inputs(), of.inputs);
  EXPECT_EQ(op.outputs(), of.outputs);
  const auto given = of.template on<Value>(fft.grid_box(), of.grids.grid, of.shape);
  const auto want = of.template on<Value>(fft.grid_box(), of.results, of.shape);
  const auto one = of.template on<Value>(fft.grid_box(), {of.grids.grid[0]}, of.shape);
  const auto waves = of.template on<Complex>(fft.spectrum_box(), {of.grids.spectrum[0]}, of.shape);
  const double tolerance = of.grids.tolerance * static_cast<double>(of.inputs * of.shape.volume());
  for (int repeat = 0; repeat < 2; ++repeat) {
    CallersArray<Value> grid(given, use.grid_there), result(std::vector<Value>(want.size()), use.spectrum_there);
    use.started ? end(op.start_apply(grid.span(), result.span())) : op.apply(grid.span(), result.span());
    expect_close<Value>(result.values(), want, tolerance);
    expect_close<Value>(grid.values(), given, 0);
    CallersArray<Value> field(one, use.grid_there);
    CallersArray<Complex> spectrum(std::vector<Complex>(waves.size()), use.grid_there);
    fft.forward(field.span(), spectrum.span());
    expect_close<Complex>(spectrum.values(), waves, of.grids.tolerance);
  }
}

struct Flow {
  int window, threads;
  std::vector<int> chunks;
};

struct Settings {
  std::array<GridShape, 6> shapes{{{5, 6, 7}, {1, 1, 1}, {8, 1, 4}, {8, 11, 13}, {2, 5, 1}, {17, 12, 9}}};
  std::array<std::pair<int, int>, 6> fields{{{1, 1}, {1, 4}, {3, 1}, {2, 2}, {2, 3}, {4, 3}}};
  std::vector<Algorithm> algorithms = ways_here();
  std::array<Flow, 4> flows{{{0, 1, {}}, {2, 2, {3, 1}}, {1, 1, {1, 1, 1}}, {3, 2, {1, 2, 3, 4, 5}}}};
  std::array<DenseUse, 4> places{{{false, false}, {true, false}, {false, true}, {true, true}}};

  std::vector<std::size_t> counts() const {
    return {4,
            shapes.size(),
            all_decompositions.size(),
            fields.size(),
            algorithms.size() + 1,
            flows.size(),
            1 + places.size(),
            2};
  }
  void check_row(const Choice& row) const {
    check_kind_of(row, [&]<class Value>(Value) { check_kind<Value>(row); });
  }

 private:
  template <class Value>
  void check_kind(const Choice& row) const {
    const Flow& flow = flows[row[5]];
    const bool on_device = row[6] > 0;
    const FftOptions options{
        .policy = {.algorithm = row[4] == 0 ? Algorithm::automatic : algorithms[row[4] - 1], .window = flow.window},
        .decomposition = all_decompositions[row[2]],
        .threads = flow.threads,
        .chunks = flow.chunks,
        .space = on_device ? Space::cuda : Space::host};
    DenseUse use = on_device ? places[row[6] - 1] : DenseUse{};
    use.started = row[7] == 1;
    const auto [inputs, outputs] = fields[row[3]];
    check(OperatorCase<Value>(shapes[row[1]], inputs, outputs), options, use);
  }
};

TEST(GridOperator, ResultsEqualSumsByTheDefinition) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check_row(row);
  }
}

/// All chunks of several fields are in flight.
TEST(GridOperator, LargeGridsInManyChunks) {
  const OperatorCase<Wide> complex({20, 26, 23}, 2, 3);
  const OperatorCase<double> real({21, 18, 25}, 1, 3);
  for (const auto decomposition : all_decompositions) {
    const FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 2},
                             .decomposition = decomposition,
                             .chunks = {1, 2, 1, 1}};
    check(complex, options, {});
    check(real, options, {.started = true});
  }
}

/// Operators of one plan with equal and with other numbers of fields are in flight together.
TEST(GridOperator, SeveralAreStarted) {
  const GridShape shape{6, 9, 8};
  const std::array<std::pair<int, int>, 3> fields{{{1, 3}, {1, 3}, {2, 1}}};
  for (const Algorithm algorithm : ways_here()) {
    DenseFft<double> fft(MPI_COMM_WORLD, shape, {.policy = {.algorithm = algorithm}});
    const Box box = fft.grid_box();
    std::vector<OperatorCase<double>> cases;
    for (const auto& [inputs, outputs] : fields) cases.emplace_back(shape, inputs, outputs);
    std::vector<std::vector<double>> given, results;
    std::vector<Pending> pending;
    for (const auto& one : cases) {
      given.push_back(one.on<double>(box, one.grids.grid, shape));
      results.emplace_back(static_cast<std::size_t>(one.outputs * box.volume()));
    }
    for (std::size_t c = 0; c < cases.size(); ++c) {
      auto op = cases[c].make(fft);  // the call keeps its data
      pending.push_back(op.start_apply(given[c], results[c]));
    }
    fft.close();
    for (Pending& one : pending) end(std::move(one));
    for (std::size_t c = 0; c < cases.size(); ++c) {
      expect_close<double>(results[c], cases[c].on<double>(box, cases[c].results, shape), 1e-10);
    }
  }
}

TEST(GridOperator, ArraysMayOverlap) {
  const OperatorCase<Wide> of({7, 6, 10}, 3, 2);
  for (const auto decomposition : all_decompositions) {
    DenseFft<Wide> fft(MPI_COMM_WORLD, of.shape, {.decomposition = decomposition});
    auto op = of.make(fft);
    const auto points = static_cast<std::size_t>(fft.grid_box().volume());
    for (const std::size_t first : {std::size_t{0}, points}) {
      auto values = of.on<Wide>(fft.grid_box(), of.grids.grid, of.shape);
      op.apply(values, std::span(values).subspan(first, 2 * points));
      expect_close<Wide>(std::vector<Wide>(values.begin() + static_cast<std::ptrdiff_t>(first),
                                           values.begin() + static_cast<std::ptrdiff_t>(first + 2 * points)),
                         of.on<Wide>(fft.grid_box(), of.results, of.shape), 1e-10);
    }
  }
}

TEST(GridOperator, MemoryIsThatOfTheFactors) {
  const GridShape shape{6, 4, 8};
  DenseFft<Wide> fft(MPI_COMM_WORLD, shape);
  const std::int64_t waves = fft.spectrum_box().volume();
  const OperatorCase<Wide> of(shape, 2, 1);  // one complex and one imaginary function
  compared();
  EXPECT_EQ(of.make(fft).memory(), waves * 3 * 8);
  EXPECT_EQ(OperatorCase<Wide>(shape, 1, 4).make(fft).memory(), waves * (2 + 1 + 1 + 0) * 8);
}

/// Operators, and transforms, use a plan whose windows were closed because of other plans.
TEST(GridOperator, ThePlanIsReopened) {
  const OperatorCase<double> of({6, 5, 4}, 1, 1);
  DenseFft<double> fft(MPI_COMM_WORLD, of.shape);
  auto op = of.make(fft);
  const auto given = of.on<double>(fft.grid_box(), of.grids.grid, of.shape);
  const auto want = of.on<double>(fft.grid_box(), of.results, of.shape);
  std::vector<double> result(want.size());
  op.apply(given, result);
  DenseFft<double>(MPI_COMM_WORLD, of.shape).close();  // closes the data that both plans share
  result.assign(want.size(), 0);
  op.apply(given, result);
  expect_close<double>(result, want, 1e-11);
}

class GridOperatorErrors : public ::testing::Test {
 protected:
  using Lattice = GridOperator<Wide>::Lattice;
  static bool on_last() { return rank() == ranks() - 1; }
  template <class Work>
  static void rejected(const std::string& part, Work&& work) {
    expect_error(Fault::bad_argument, part, std::forward<Work>(work));
  }
  DenseFft<Wide> fft_{MPI_COMM_WORLD, {4, 6, 5}};
  Lattice cube_{{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
  std::size_t waves_ = static_cast<std::size_t>(fft_.spectrum_box().volume());
  std::size_t points_ = static_cast<std::size_t>(fft_.grid_box().volume());
  std::vector<Wide> factors_ = std::vector<Wide>(waves_, 1.0);
};

TEST_F(GridOperatorErrors, OfKernels) {
  const auto make = [&](const Lattice& lattice, OperatorKernel kernel, double parameter) {
    GridOperator<Wide>(fft_, lattice, kernel, parameter);
  };
  rejected("grid_operator: the parameter of this kernel must be positive (got -1)",
           [&] { make(cube_, OperatorKernel::screened, -1); });
  for (const auto kernel : {OperatorKernel::screened, OperatorKernel::short_range, OperatorKernel::long_range}) {
    rejected("must be positive (got 0)", [&] { make(cube_, kernel, 0); });
  }
  rejected("must be positive (got ", [&] { make(cube_, OperatorKernel::isolated, std::nan("")); });
  rejected("must be positive (got -2)", [&] { make(cube_, OperatorKernel::slab, -2); });
  rejected("grid_operator: there is no kernel 9", [&] { make(cube_, static_cast<OperatorKernel>(9), 1); });
  rejected("grid_operator: the lattice vectors must be linearly independent (their volume is 0)", [&] {
    make({{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, OperatorKernel::coulomb, 0);
  });
  rejected("must be linearly independent", [&] { make(Lattice{}, OperatorKernel::gradient, 0); });
  rejected("grid_operator: for a slab, the third lattice vector must be perpendicular to both others", [&] {
    make({{{1, 0, 0}, {0, 1, 0}, {0, 0.5, 1}}}, OperatorKernel::slab, 0);
  });
  DenseFft<Wide> of_callers(MPI_COMM_WORLD, {4, 6, 5}, arrays_of<Wide>({4, 6, 5}, {.fields = 2}));
  rejected("grid_operator: this plan transforms the caller's arrays: create a plan without arrays",
           [&] { GridOperator<Wide>(of_callers, cube_, OperatorKernel::coulomb); });
}

TEST_F(GridOperatorErrors, OfFactors) {
  rejected("grid_operator: the numbers of inputs and outputs must be positive (got 0 and 1)",
           [&] { GridOperator<Wide>(fft_, 0, 1, factors_); });
  rejected("must be positive (got 1 and -1)", [&] { GridOperator<Wide>(fft_, 1, -1, factors_); });
  auto longer = factors_;
  longer.push_back(1);
  rejected("grid_operator: wrong number of factors: this rank has ",
           [&] { GridOperator<Wide>(fft_, 1, 1, on_last() ? longer : factors_); });
  rejected(", for 2 outputs, 1 inputs and ", [&] { GridOperator<Wide>(fft_, 1, 2, longer); });
}

TEST_F(GridOperatorErrors, OfArrays) {
  GridOperator<Wide> op(fft_, 1, 1, factors_);
  std::vector<Wide> grid(points_), longer(points_ + 1);
  rejected("grid_operator: wrong size of the inputs: this rank has ",
           [&] { op.apply(on_last() ? longer : grid, grid); });
  rejected("grid_operator: wrong size of the outputs: this rank has ",
           [&] { op.start_apply(grid, on_last() ? longer : grid).finish(); });
  op.apply(grid, grid);
  op.close();
  rejected("grid_operator: this operator is closed or moved from: create another", [&] { op.apply(grid, grid); });
  rejected("create another", [&] { op.start_apply(grid, grid); });
  rejected("create another", [&] { op.inputs(); });
}

TEST(GridOperatorDevice, HasFewFields) {
  DenseFft<Wide> fft(MPI_COMM_WORLD, {3, 4, 3}, {.space = Space::cuda});
  const std::vector<Wide> factors(static_cast<std::size_t>(9 * fft.spectrum_box().volume()));
  expect_error(Fault::unsupported,
               "grid_operator: an operator on a device has at most 8 inputs and outputs (got 1 and 9)",
               [&] { GridOperator<Wide>(fft, 1, 9, factors); });
}

}  // namespace
}  // namespace seiche::testing
