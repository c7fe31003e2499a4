// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests transforms of many dense grids in callers' arrays, compared with FFTW. Fields are interleaved or
/// consecutive. Covers all kinds, precisions, algorithms and distributions of planes, and both layouts of spectra.
#include <algorithm>
#include <string>

#include "fft/dense_fields.hpp"

namespace seiche::testing {
namespace {

using namespace dense_fields;

template <class Value>
void check(const Known& known, const DenseArrays& layout, const FftOptions& options, const std::string& name) {
  SCOPED_TRACE(name + " " + std::string(name_of(options.policy.algorithm)));
  DenseFft<Value> fft(MPI_COMM_WORLD, known.shape, layout, options);
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with memory that has been used
    Arrays<Value> arrays(known, layout);
    arrays.fill();
    fft.forward(arrays.grid(), arrays.spectrum());
    EXPECT_LE(arrays.spectrum_off(), tolerance<Value>);
    Arrays<Value> back(known, layout);
    back.fill_spectrum();
    for (int again = 0; again < 1 + repeat; ++again) {  // the second time: two calls in the same direction
      if (again > 0) back.fill_spectrum();
      fft.backward(back.spectrum(), back.grid());
      const double scale = layout.unscaled ? static_cast<double>(known.shape.volume()) : 1;
      EXPECT_LE(back.grid_off(scale), tolerance<Value>);
    }
  }
}

/// Checks every layout with the default algorithm, and some layouts with all algorithms.
template <class Value>
void check_kind(const GridShape& shape, std::int64_t fields) {
  const Known all = known<Value>(shape, fields);
  for (const bool side_by_side : {false, true}) {
    for (const bool returns : {false, true}) {
      for (const bool in_place : {false, true}) {
        for (const Sharing z : all_sharings) {
          const Layout layout{fields, side_by_side, returns, in_place, z, Sharing::ceil};
          const auto arrays = arrays_of<Value>(shape, layout);
          check<Value>(all, arrays, {}, layout.name());
          check<Value>(all, arrays, {.policy = {.algorithm = Algorithm::pairwise}}, layout.name());
          if (z != Sharing::ceil) continue;
          for (const FftOptions& options : all_options()) check<Value>(all, arrays, options, layout.name());
        }
      }
    }
    for (const Sharing y : all_sharings) {
      const Layout layout{fields, side_by_side, false, false, Sharing::every_other, y};
      check<Value>(all, arrays_of<Value>(shape, layout), {}, layout.name());
    }
  }
}

struct Size {
  GridShape shape;
  std::int64_t fields;
};
class DenseFields : public ::testing::TestWithParam<Size> {};
TEST_P(DenseFields, ComplexDouble) { check_kind<std::complex<double>>(GetParam().shape, GetParam().fields); }
TEST_P(DenseFields, RealDouble) { check_kind<double>(GetParam().shape, GetParam().fields); }
TEST_P(DenseFields, ComplexFloat) { check_kind<std::complex<float>>(GetParam().shape, GetParam().fields); }
TEST_P(DenseFields, RealFloat) { check_kind<float>(GetParam().shape, GetParam().fields); }
INSTANTIATE_TEST_SUITE_P(Sizes, DenseFields,
                         ::testing::Values(Size{{1, 1, 1}, 3}, Size{{5, 6, 7}, 1}, Size{{2, 3, 1}, 4},
                                           Size{{7, 1, 4}, 2}, Size{{8, 11, 13}, 12}));

/// The grid is large enough for several bundles in flight. Other options have their defaults.
TEST(DenseFields, SeveralBundlesInFlight) {
  const GridShape shape{40, 36, 42};
  constexpr std::int64_t fields = 16;  // bundles of interleaved fields have eight, which are pairs of cache lines
  const Known all = known<Wide>(shape, fields);
  for (const bool side_by_side : {false, true}) {
    for (const bool returns : {false, true}) {
      const Layout layout{fields, side_by_side, returns, false, Sharing::ceil, Sharing::ceil};
      const auto arrays = arrays_of<Wide>(shape, layout);
      for (const int window : {1, 2, 3}) {
        const std::vector<std::vector<int>> cuts{{}, {1}, {2, 1, 1}};
        for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
          const auto layout_number = static_cast<std::size_t>(side_by_side + 2 * returns);
          const bool taken = cut == layout_number % 3 && window == 1 + static_cast<int>((layout_number + 1) % 3);
          if (!taken && !long_suite()) continue;
          const std::vector<int>& chunks = cuts[cut];
          check<Wide>(all, arrays, {.policy = {.algorithm = Algorithm::pairwise, .window = window}, .chunks = chunks},
                      layout.name() + ", window " + std::to_string(window));
        }
      }
    }
  }
}

/// The data of a rank (10 MB on the last rank) exceeds its caches, so that streaming stores are used.
TEST(DenseFields, TooLargeForCaches) {
  const GridShape shape{42, 41, 43};
  constexpr std::int64_t fields = 9;
  const Known all = known<Wide>(shape, fields);
  for (const bool returns : {false, true}) {
    for (const bool in_place : {false, true}) {
      if (returns != in_place && !long_suite()) continue;
      const Layout layout{fields, true, returns, in_place, Sharing::one_has_all, Sharing::one_has_all};
      check<Wide>(all, arrays_of<Wide>(shape, layout), {}, layout.name());
    }
  }
}

TEST(DenseFields, FewerAreInFlightWhereMemoryIsShort) {
  const GridShape shape{40, 36, 42};
  const auto arrays = arrays_of<Wide>(shape, {12, false, false, false, Sharing::ceil, Sharing::ceil});
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

/// Strides of an empty box are ignored: all ranks choose the same bundles, and no library plans such 1D FFTs.
TEST(DenseFields, OneRankHasThePlanesAndAnotherTheColumns) {
  const GridShape shape{6, 8, 9};
  const Known all = known<Wide>(shape, 3);
  const Box nothing{}, whole_grid = whole(shape);
  const Box planes = rank() == 0 ? whole_grid : nothing, columns = rank() == ranks() - 1 ? whole_grid : nothing;
  for (const auto library : line_libraries_here()) {
    const FftOptions options{.library = library};
    check<Wide>(all, {.fields = 3, .grid = consecutive(planes), .spectrum = consecutive(columns)}, options, "in turn");
    check<Wide>(all, {.fields = 3, .grid = interleaved(planes, 3), .spectrum = interleaved(columns, 3)}, options,
                "beside");
  }
}

TEST(DenseFields, TheOtherSignAndNoScale) {
  const GridShape shape{5, 6, 7};
  const Known all = known<Wide>(shape, 3, true);
  auto arrays = arrays_of<Wide>(shape, {3, true, false, false, Sharing::ceil, Sharing::ceil});
  arrays.plus = arrays.unscaled = true;
  check<Wide>(all, arrays, {}, "exp(+i), unscaled");
}

TEST(DenseFields, OfThePlansOwn) {
  const GridShape shape{9, 10, 14};
  for (const Algorithm algorithm : ways_here()) {
    for (const auto decomposition : all_decompositions) {
      SCOPED_TRACE(name_of(algorithm));
      DenseFft<double> fft(MPI_COMM_WORLD, shape, {.policy = {.algorithm = algorithm}, .decomposition = decomposition});
      const Known all = known<double>(shape, 5);
      std::vector<Field<double>> fields;
      for (std::size_t f = 0; f < 5; ++f) {
        fields.push_back(fft.allocate());
        const FieldArray here{fft.grid_box(), fields[f].grid().stride, 0};
        each_value(here, 1, shape, [&](std::size_t at, std::size_t place, std::size_t) {
          fields[f].grid().data[place] = all.grid[f][at].real();
        });
      }
      fft.forward(fields);
      for (std::size_t f = 0; f < 5; ++f) {
        const FieldArray here{fft.spectrum_box(), fields[f].spectrum().stride, 0};
        each_value(here, 1, shape, [&](std::size_t at, std::size_t place, std::size_t) {
          EXPECT_LE(std::abs(fields[f].spectrum().data[place] - all.spectrum[f][at] / 1260.0), 1e-13);
          compared();
        });
      }
      fft.backward(fields);
      for (std::size_t f = 0; f < 5; ++f) {
        const FieldArray here{fft.grid_box(), fields[f].grid().stride, 0};
        each_value(here, 1, shape, [&](std::size_t at, std::size_t place, std::size_t) {
          EXPECT_LE(std::abs(fields[f].grid().data[place] - all.grid[f][at].real()), 1e-13);
          compared();
        });
      }
      fields[2].become_spectrum();
      expect_error(Fault::bad_argument, "call become_grid() and fill grid() first", [&] { fft.forward(fields); });
    }
  }
}

TEST(DenseFields, WrongArraysAreRefused) {
  const GridShape shape{4, 6, 5};
  const auto make = [&](const DenseArrays& arrays) { DenseFft<Wide>(MPI_COMM_WORLD, shape, arrays); };
  const auto good = arrays_of<Wide>(shape, {2, true, false, false, Sharing::ceil, Sharing::ceil});
  auto bad = good;
  bad.fields = 0;
  expect_error(Fault::bad_argument, "the number of fields must be positive (got 0)", [&] { make(bad); });
  bad = good;
  bad.grid.box.axis[2] = {1, 5};
  expect_error(Fault::bad_argument, "do not split 4 x 6 x 5 points into whole planes", [&] { make(bad); });
  bad = good;
  bad.spectrum.box.axis[0] = {0, 3};
  expect_error(Fault::bad_argument, "split 4 x 6 x 5 points neither into whole columns", [&] { make(bad); });
  bad = arrays_of<Wide>(shape, {2, true, false, false, Sharing::one_has_all, Sharing::one_has_all});
  bad.grid.stride[1] = 0;
  expect_error(Fault::bad_argument, "array strides must be positive (got 0)", [&] { make(bad); });
  bad = arrays_of<double>(shape, {2, true, false, false, Sharing::ceil, Sharing::ceil});
  bad.plus = true;
  expect_error(Fault::bad_argument, "leave out 'plus'", [&] { DenseFft<double>(MPI_COMM_WORLD, shape, bad); });

  DenseFft<Wide> fft(MPI_COMM_WORLD, shape, good);
  std::vector<Wide> none, memory(room(good) / sizeof(Wide));
  expect_error(Fault::bad_argument, "wrong array sizes: this rank has ", [&] { fft.forward(none, none); });
  expect_error(Fault::bad_argument, "overlap: create the plan with in_place", [&] { fft.forward(memory, memory); });
  expect_error(Fault::bad_argument, "this plan transforms the caller's arrays", [&] { fft.allocate(); });
  fft.close();
  expect_error(Fault::bad_argument, "this plan is closed", [&] { fft.forward(memory, memory); });
}

}  // namespace
}  // namespace seiche::testing
