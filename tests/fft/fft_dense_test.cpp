// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests dense transforms against sums by the definition, on the host and on devices: arrays in the distribution
/// of the plan, fields of the plan, and callers' arrays, for tables of settings in which each pair of settings occurs.
#include <array>
#include <cstdlib>
#include <string>

#include "fft/dense/dense_chunks.hpp"
#include "fft/dense_case.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

enum class Of { own_boxes, fields, callers };
/// Arrays of a transform, and the decomposition of plans with arrays of their own.
struct Arrays {
  Of of;
  Decomposition decomposition = Decomposition::automatic;
  bool side_by_side = false, returns = false, in_place = false;
};
constexpr std::array kinds_of_arrays{
    Arrays{Of::own_boxes, Decomposition::slab},      Arrays{Of::own_boxes, Decomposition::pencil},
    Arrays{Of::own_boxes, Decomposition::pencil_yz}, Arrays{Of::fields, Decomposition::slab},
    Arrays{Of::fields, Decomposition::pencil},       Arrays{Of::fields, Decomposition::pencil_yz},
    Arrays{Of::callers, {}, false, false, false},    Arrays{Of::callers, {}, false, false, true},
    Arrays{Of::callers, {}, false, true, false},     Arrays{Of::callers, {}, false, true, true},
    Arrays{Of::callers, {}, true, false, false},     Arrays{Of::callers, {}, true, false, true},
    Arrays{Of::callers, {}, true, true, false},      Arrays{Of::callers, {}, true, true, true}};

struct Flow {
  int window, threads;
  bool reproducible, measured;
  std::vector<int> chunks;
};

/// The settings of a table.
struct Settings {
  std::array<GridShape, 8> shapes{
      {{5, 6, 7}, {1, 1, 1}, {2, 3, 1}, {7, 1, 4}, {8, 11, 13}, {2, 1, 1}, {31, 4, 2}, {16, 13, 9}}};
  std::array<std::int64_t, 3> fields{3, 1, 12};
  std::vector<Algorithm> algorithms = ways_here();
  std::vector<Flow> flows{{0, 1, false, false, {}},
                          {2, 2, false, true, {3, 1}},
                          {1, 1, true, false, {1, 1, 1}},
                          {3, 2, true, true, {1, 2, 3, 4, 5, 6, 7}}};
  std::array<DenseUse, 4> places{{{false, false}, {true, false}, {false, true}, {true, true}}};

  std::vector<std::size_t> counts() const {
    return {4,
            shapes.size(),
            kinds_of_arrays.size(),
            5,
            5,
            fields.size(),
            algorithms.size() + 1,
            flows.size(),
            1 + places.size(),
            2,
            4};
  }
  void check(const Choice& row) const {
    check_kind_of(row, [&]<class Value>(Value) { check_kind<Value>(row); });
  }

 private:
  template <class Value>
  void check_kind(const Choice& row) const {
    const GridShape& shape = shapes[row[1]];
    const Arrays& arrays = kinds_of_arrays[row[2]];
    const Flow& flow = flows[row[7]];
    const FftOptions options{
        .policy = {.algorithm = row[6] == 0 ? Algorithm::automatic : algorithms[row[6] - 1], .window = flow.window},
        .decomposition = arrays.decomposition,
        .threads = flow.threads,
        .reproducible = flow.reproducible,
        .measured = flow.measured,
        .chunks = flow.chunks,
        .space = row[8] == 0 ? Space::host : Space::cuda};
    DenseUse use = row[8] == 0 ? DenseUse{} : places[row[8] - 1];
    use.started = row[9] == 1;
    if (arrays.of == Of::own_boxes) return check_own_boxes(Grids<Value>(shape, 1), options, use);
    const std::int64_t count = fields[row[5]];
    if (arrays.of == Of::fields) return FieldsOfPlan<Value>(Grids<Value>(shape, count), options, use.started).check();
    auto layout = arrays_of<Value>(shape, {count, arrays.side_by_side, arrays.returns, arrays.in_place,
                                           static_cast<Sharing>(row[3]), static_cast<Sharing>(row[4])});
    layout.plus = row[10] % 2 == 1 && !Grids<Value>::real;
    layout.unscaled = row[10] / 2 == 1;
    check_arrays(Grids<Value>(shape, count, layout.plus, layout.unscaled), layout, options, use);
  }
};

TEST(Dense, TransformsEqualSumsByTheDefinition) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check(row);
  }
}

/// The grids are large enough for several bundles in flight. A bundle of interleaved fields has eight.
TEST(Dense, SeveralBundlesAreInFlight) {
  const GridShape shape{40, 36, 42};
  const Grids<Wide> of(shape, 10);
  const std::array<std::vector<int>, 4> cuts{{{}, {1}, {2, 1, 1}, {}}};
  for (std::size_t row = 0; row < 4; ++row) {
    const auto arrays = arrays_of<Wide>(shape, {10, row % 2 == 1, row / 2 == 1});
    check_arrays(of, arrays,
                 {.policy = {.algorithm = Algorithm::pairwise, .window = 1 + static_cast<int>(row + 1) % 3},
                  .chunks = cuts[row]});
  }
  check_arrays(of, arrays_of<Wide>(shape, {10, false, false, false, Sharing::blocks, Sharing::blocks}),
               {.policy = {.algorithm = Algorithm::pairwise, .window = 2}, .chunks = {2, 1, 1}, .space = Space::cuda},
               {true, true});
}

/// The data of a rank (10 MB on the last rank) exceeds its caches, so that streaming stores are used.
TEST(Dense, TooLargeForCaches) {
  const GridShape shape{42, 41, 43};
  const Grids<Wide> of(shape, 9);
  for (const bool returns : {false, true}) {
    check_arrays(of, arrays_of<Wide>(shape, {9, true, returns, returns, Sharing::one_has_all, Sharing::one_has_all}),
                 {});
  }
}

TEST(Dense, LargeGrids) {
  for (const GridShape& shape : {GridShape{50, 45, 25}, {31, 47, 53}, {16, 21, 41}}) {
    const Grids<Wide> of(shape, 1);
    for (const auto decomposition : all_decompositions) {
      check_own_boxes(of, {.decomposition = decomposition, .reproducible = shape.nx == 31});
    }
  }
}

/// Strides of an empty box are ignored: all ranks choose the same bundles, and no library plans such 1D FFTs.
TEST(Dense, OneRankHasThePlanesAndAnotherTheColumns) {
  const GridShape shape{6, 8, 9};
  const Grids<Wide> of(shape, 3);
  const Box nothing{}, whole_grid = whole(shape);
  const Box planes = rank() == 0 ? whole_grid : nothing, columns = rank() == ranks() - 1 ? whole_grid : nothing;
  for (const auto library : line_libraries_here()) {
    const FftOptions options{.library = library};
    check_arrays(of, {.fields = 3, .grid = consecutive(planes), .spectrum = consecutive(columns)}, options);
    check_arrays(of, {.fields = 3, .grid = interleaved(planes, 3), .spectrum = interleaved(columns, 3)}, options);
  }
}

/// Reals that begin at an odd index are not aligned to 16 bytes, which cuFFT and libraries for SIMD notice.
TEST(Dense, UnalignedReals) {
  const GridShape shape{15, 3, 7};
  const Grids<double> of(shape, 2);
  const Box planes{{Range{0, 15}, Range{0, 3}, part_of(7, Sharing::blocks)}};
  const Box columns{{Range{0, 8}, part_of(3, Sharing::blocks), Range{0, 7}}};
  DenseArrays arrays{.fields = 2, .grid = consecutive(planes), .spectrum = consecutive(columns)};
  arrays.grid.offset = 1;
  check_arrays(of, arrays, {.chunks = {1, 1}, .space = Space::cuda});
  for (const auto library : line_libraries_here()) check_arrays(of, arrays, {.library = library});
}

TEST(Dense, WithMkl) {
  if (!is_here(LineLibrary::mkl)) GTEST_SKIP() << "MKL is not here";
  for (const auto decomposition : all_decompositions) {
    const FftOptions options{.library = LineLibrary::mkl, .decomposition = decomposition};
    for (const GridShape& shape : {GridShape{5, 6, 7}, {16, 21, 41}, {1, 8, 125}}) {
      FieldsOfPlan<Wide>(Grids<Wide>(shape, 1), options, false).check();
      FieldsOfPlan<double>(Grids<double>(shape, 2), options, false).check();
      FieldsOfPlan<std::complex<float>>(Grids<std::complex<float>>(shape, 1), options, false).check();
      FieldsOfPlan<float>(Grids<float>(shape, 1), options, false).check();
    }
  }
}

TEST(Dense, FewerFieldsAreInFlightIfMemoryIsShort) {
  const GridShape shape{40, 36, 42};
  const auto arrays = arrays_of<Wide>(shape, {.fields = 12});
  FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 3}, .chunks = {1}};
  const DenseFft<Wide> wide(MPI_COMM_WORLD, shape, arrays, options);
  EXPECT_EQ(wide.report().window, ranks() > 4 ? 1 : ranks() > 3 ? 2 : 3) << "few bundles, where messages are small";
  compared();
  std::int64_t least = wide.report().memory;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  options.policy.memory = least - 1;
  const auto again = [&] { return DenseFft<Wide>(MPI_COMM_WORLD, shape, arrays, options).report(); };
  if (wide.report().window == 1) return expect_error(Fault::bad_argument, "a field needs", again);
  EXPECT_EQ(again().window, wide.report().window - 1);
  EXPECT_LT(again().memory, wide.report().memory);
}

/// Each value is sent in one chunk, and each 1D FFT is computed once, on its side of the exchange.
TEST(Dense, ChunksAreTheWholeTransform) {
  for (const std::int64_t n : {0, 1, 2, 5, 8}) {
    for (const std::vector<int>& sizes :
         {std::vector<int>{1}, {3, 1}, {1, 1, 1}, {1, 2, 3, 4}, {1, 1, 1, 1, 1, 1, 1}}) {
      for (const auto into : {DenseChunks::Into::planes, DenseChunks::Into::planes_and_columns}) {
        const DenseChunks chunks(sizes, into);
        const Box rows{{Range{0, 3}, Range{0, 9}, Range{4, 4 + n}}}, columns{{Range{0, 3}, Range{2, 7}, Range{0, 12}}};
        std::int64_t values = 0, planes = 0, lines = 0, both = 0;
        for (std::size_t c = 0; c < chunks.count(); ++c) {
          values += intersect(chunks.before(rows, c), chunks.after(columns, c)).volume();
          planes += chunks.planes(rows, c).size();
          lines += chunks.columns(columns, c).size();
          both += !chunks.columns(columns, c).empty() && c + 1 < chunks.count();
        }
        EXPECT_EQ(values, 3 * 5 * n);
        EXPECT_EQ(planes, n);
        EXPECT_EQ(lines, 5);
        // 1D FFTs along z begin before the last chunk arrives
        EXPECT_EQ(both > 0, into == DenseChunks::Into::planes_and_columns && sizes.size() > 3);
        compared(4);
      }
    }
  }
}

TEST(Dense, FieldsAreArraysOfWholeRows) {
  for (const auto decomposition : all_decompositions) {
    for (const Algorithm algorithm : ways_here()) {
      DenseFft<double> fft(MPI_COMM_WORLD, {12, 10, 14},
                           {.policy = {.algorithm = algorithm}, .decomposition = decomposition});
      auto field = fft.allocate();
      const auto rows = field.grid();
      const auto grid = rows.padded_shape();
      EXPECT_GE(grid[0], rows.shape[0]);
      EXPECT_GE(grid[1], rows.shape[1]);
      EXPECT_EQ(grid[0] * grid[1], rows.stride[2]) << "planes are whole rows apart";
      EXPECT_EQ(rows.stride[2] * 8 / 64 % 2, 1) << "and an odd number of cache lines";
      field.become_spectrum();
      const auto columns = field.spectrum();
      const auto spectrum = columns.padded_shape();
      EXPECT_EQ(spectrum[0] * spectrum[1], columns.stride[2]);
      EXPECT_EQ(spectrum[2], columns.shape[2]);
      compared(6);
    }
  }
}

TEST(Dense, CallsUseTheStreamOfTheCaller) {
  constexpr std::int64_t legacy_stream = 1;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise}) {
    check_own_boxes(Grids<Wide>({9, 8, 10}, 1),
                    {.policy = {.algorithm = algorithm}, .space = Space::cuda, .stream = legacy_stream},
                    {true, true, true});
  }
}

}  // namespace
}  // namespace seiche::testing
