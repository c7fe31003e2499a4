// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests transforms of many dense grids in callers' arrays, compared with FFTW. Fields are interleaved or
/// consecutive. Covers all kinds, precisions, algorithms and distributions of planes, and both layouts of spectra.
#include <algorithm>
#include <string>

#include "fft/sharing.hpp"
#include "seiche/fft.hpp"
#include "support/fftw_oracle.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

struct Layout {
  std::int64_t fields;
  bool side_by_side, returns, in_place;
  Sharing z, y;
  std::string name() const {
    return std::to_string(fields) + (side_by_side ? " side by side" : " in turn") + (returns ? ", as the grid" : "") +
           (in_place ? ", in place" : "") + ", shared " + std::to_string(static_cast<int>(z)) + " " +
           std::to_string(static_cast<int>(y));
  }
};

/// Number of unused fields in interleaved arrays. Consecutive fields have padding instead.
constexpr std::int64_t unused = 2;

FieldArray array_of(const Box& box, const Layout& layout, std::int64_t row) {
  const std::int64_t between = layout.side_by_side ? layout.fields + unused : 1;
  FieldArray array{box, {between, between * row, between * row * box.size(1)}, 1};
  if (!layout.side_by_side) array.field_stride = row * box.size(1) * box.size(2) + 3;
  return array;
}

template <class Value>
DenseArrays arrays_of(const GridShape& shape, const Layout& layout) {
  constexpr bool real = std::is_floating_point_v<Value>;
  const std::int64_t nx = real ? shape.nx / 2 + 1 : shape.nx;
  const Range z = part_of(shape.nz, layout.z), all_y{0, shape.ny}, all_z{0, shape.nz};
  Box columns{{Range{0, nx}, part_of(shape.ny, layout.y), all_z}};
  if (layout.returns) columns = {{Range{0, nx}, all_y, z}};
  DenseArrays arrays{.fields = layout.fields,
                     .grid = array_of({{Range{0, shape.nx}, all_y, z}}, layout, real ? 2 * nx : nx),
                     .spectrum = array_of(columns, layout, nx),
                     .in_place = layout.in_place};
  if (!layout.side_by_side) {  // in place, a field and its spectrum use the same bytes
    std::int64_t& grid = arrays.grid.field_stride;
    std::int64_t& spectrum = arrays.spectrum.field_stride;
    constexpr std::int64_t values = real ? 2 : 1;
    spectrum = std::max(spectrum, (grid + values - 1) / values);
    grid = values * spectrum;
  }
  return arrays;
}

/// Calls visit(index in the whole field, index in the caller's array, field) for all values of this rank.
template <class Visit>
void each_value(const FieldArray& array, std::int64_t fields, const GridShape& shape, const Visit& visit) {
  const auto& [x, y, z] = array.box.axis;
  if (array.box.empty()) return;
  for (std::int64_t f = 0; f < fields; ++f) {
    for (std::int64_t k = z.low; k < z.high; ++k) {
      for (std::int64_t j = y.low; j < y.high; ++j) {
        for (std::int64_t i = x.low; i < x.high; ++i) {
          const std::int64_t place = (i - x.low) * array.stride[0] + (j - y.low) * array.stride[1] +
                                     (k - z.low) * array.stride[2] + f * array.field_stride;
          visit(static_cast<std::size_t>(i + shape.nx * (j + shape.ny * k)), static_cast<std::size_t>(place),
                static_cast<std::size_t>(f));
        }
      }
    }
  }
}

std::size_t room(const DenseArrays& arrays) {
  std::size_t bytes = 64;
  for (const FieldArray* array : {&arrays.grid, &arrays.spectrum}) {
    std::int64_t last = arrays.fields * array->field_stride;
    for (int a = 0; a < 3; ++a) last += array->box.size(a) * array->stride[static_cast<std::size_t>(a)];
    bytes = std::max(bytes, static_cast<std::size_t>(last) * 16);
  }
  return bytes;
}

template <class Value>
Value as_value(const Wide& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<Value>(value.real());
  } else {
    return Value(value);
  }
}

/// All fields and their spectra.
struct Known {
  GridShape shape;
  std::vector<std::vector<Wide>> grid, spectrum;
};
template <class Value>
Known known(const GridShape& shape, std::int64_t fields, bool plus = false) {
  Known all{shape, {}, {}};
  for (std::int64_t f = 0; f < fields; ++f) {
    all.grid.push_back(random_values(shape.volume(), static_cast<unsigned>(7 + f)));
    if (std::is_floating_point_v<Value>) {
      for (Wide& value : all.grid.back()) value = value.real();
    }
    all.spectrum.push_back(by_fftw(all.grid.back(), shape, plus ? FFTW_BACKWARD : FFTW_FORWARD));
  }
  return all;
}

template <class Value>
class Arrays {
 public:
  using Complex = typename ComplexOf<Value>::type;
  Arrays(const Known& known, const DenseArrays& arrays)
      : known_(known),
        arrays_(arrays),
        grid_(room(arrays)),
        spectrum_(arrays.in_place ? 0 : room(arrays)),
        scale_(arrays.unscaled ? 1 : 1 / static_cast<double>(known.shape.volume())) {}

  std::span<Value> grid() { return over<Value>(grid_); }
  std::span<Complex> spectrum() { return over<Complex>(arrays_.in_place ? grid_ : spectrum_); }
  void fill() {
    each_value(arrays_.grid, arrays_.fields, known_.shape, [&](std::size_t at, std::size_t place, std::size_t f) {
      grid()[place] = as_value<Value>(known_.grid[f][at]);
    });
  }
  void fill_spectrum() {
    each_value(arrays_.spectrum, arrays_.fields, known_.shape, [&](std::size_t at, std::size_t place, std::size_t f) {
      spectrum()[place] = Complex(scale_ * known_.spectrum[f][at]);
    });
  }
  double spectrum_off() { return off(arrays_.spectrum, spectrum(), known_.spectrum, scale_); }
  double grid_off(double scale = 1) { return off(arrays_.grid, grid(), known_.grid, scale); }

 private:
  template <class T>
  static std::span<T> over(std::vector<std::byte>& bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  double off(const FieldArray& array, std::span<T> values, const std::vector<std::vector<Wide>>& expected,
             double scale) {
    double worst = 0, largest = 1e-300;
    for (const Wide& value : expected.front()) largest = std::max(largest, std::abs(scale * value));
    each_value(array, arrays_.fields, known_.shape, [&](std::size_t at, std::size_t place, std::size_t f) {
      const double one = std::abs(Wide(values[place]) - scale * expected[f][at]);
      worst = std::isnan(one) ? 1e300 : std::max(worst, one);
      compared();
    });
    return worst / largest;
  }
  const Known& known_;
  DenseArrays arrays_;
  std::vector<std::byte> grid_, spectrum_;
  double scale_;
};

template <class Value>
constexpr double tolerance = sizeof(typename ComplexOf<Value>::type) == 16 ? 1e-13 : 1e-5;

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

std::vector<FftOptions> all_options() {
  std::vector<FftOptions> all;
  for (const Algorithm algorithm : ways_here()) all.push_back({.policy = {.algorithm = algorithm}});
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 2}, .threads = 2, .chunks = {3, 1}});
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 1}, .reproducible = true, .chunks = {1, 1, 1}});
  return all;
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

/// Combinations of settings in which each algorithm and each layout occurs.
TEST(DenseFields, OnADevice) {
  const GridShape shape{8, 11, 13};
  constexpr std::int64_t fields = 4;
  const Known complex = known<Wide>(shape, fields), real = known<double>(shape, fields);
  const auto options = all_options();
  for (std::size_t row = 0; row < 8; ++row) {
    const Sharing sharing = all_sharings[row % all_sharings.size()];
    const Layout layout{fields, row % 2 == 1, row / 2 % 2 == 1, row / 4 == 1, sharing, Sharing::ceil};
    FftOptions here = options[row % options.size()];
    here.space = Space::emulated;
    check<Wide>(complex, arrays_of<Wide>(shape, layout), here, layout.name());
    check<float>(real, arrays_of<float>(shape, layout), here, layout.name());
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
