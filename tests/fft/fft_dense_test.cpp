// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests dense transforms against sums by the definition, for all kinds, precisions, sizes, decompositions,
/// algorithms and libraries.
#include <algorithm>
#include <memory>
#include <string>

#include "fft/dense/dense_chunks.hpp"
#include "fft/dense_fields.hpp"
#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

using dense_fields::as_value;
using dense_fields::tolerance;

struct Case {
  GridShape shape;
  FftOptions options;
  std::string name() const {
    return std::to_string(shape.nx) + "x" + std::to_string(shape.ny) + "x" + std::to_string(shape.nz) + " " +
           std::string(name_of(options.policy.algorithm)) + " " + name_of(options.library) + " " +
           name_of(options.decomposition) + " threads " + std::to_string(options.threads) +
           (options.reproducible ? " reproducible" : "");
  }
};

std::vector<FftOptions> all_options() {
  std::vector<FftOptions> all;
  for (const Algorithm algorithm : ways_here()) {
    for (const auto decomposition : all_decompositions) {
      FftOptions options{.policy = {.algorithm = algorithm}, .decomposition = decomposition};
      all.push_back(options);
      options.reproducible = true;
      options.threads = 2;
      all.push_back(options);
    }
  }
  return all;
}

/// Returns all options in the long suite, otherwise every third one. All pairs of options and shapes, and of options
/// and kinds of values, occur. \param kind number of the kind of values
std::vector<FftOptions> options_for(const GridShape& shape, std::int64_t kind) {
  if (long_suite()) return all_options();
  std::vector<FftOptions> some;
  std::int64_t number = shape.nx + shape.ny + shape.nz + kind;
  for (const FftOptions& options : all_options()) {
    if (number++ % 3 == 0) some.push_back(options);
  }
  return some;
}

/// Returns the largest deviation of a view from the values of the box in a whole array, divided by the largest expected
/// value.
template <class T>
double deviation(const View<T>& view, const Box& box, const std::vector<Wide>& expected, const GridShape& shape) {
  double worst = 0, largest = 1e-300;
  for (const Wide& value : expected) largest = std::max(largest, std::abs(value));
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        const auto got = view(x - box.axis[0].low, y - box.axis[1].low, z - box.axis[2].low);
        const Wide want = expected[static_cast<std::size_t>(x + shape.nx * (y + shape.ny * z))];
        const double off = std::abs(Wide(got) - want);
        worst = std::isnan(off) ? 1e300 : std::max(worst, off);
      }
    }
  }
  compared(box.volume());
  return worst / largest;
}

template <class Value>
void fill(const View<Value>& view, const Box& box, const std::vector<Wide>& values, const GridShape& shape) {
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        view(x - box.axis[0].low, y - box.axis[1].low, z - box.axis[2].low) =
            as_value<Value>(values[static_cast<std::size_t>(x + shape.nx * (y + shape.ny * z))]);
      }
    }
  }
}

template <class Value>
void check_kind(const GridShape& shape, const std::vector<FftOptions>& options) {
  std::vector<Wide> values = random_values(shape.volume(), 7);
  if constexpr (std::is_floating_point_v<Value>) {
    for (Wide& value : values) value = value.real();
  }
  std::vector<Wide> spectrum = shared_fourier_sum(values, shape, -1);
  for (Wide& value : spectrum) value /= static_cast<double>(shape.volume());
  for (const FftOptions& chosen : options) {
    const Case tried{shape, chosen};
    SCOPED_TRACE(tried.name());
    DenseFft<Value> fft(MPI_COMM_WORLD, shape, chosen);
    auto field = fft.allocate();
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second time on used memory
      field.become_grid();
      fill(field.grid(), fft.grid_box(), values, shape);
      fft.forward(field);
      EXPECT_LE(deviation(field.spectrum(), fft.spectrum_box(), spectrum, shape), tolerance<Value>);
      fft.backward(field);
      EXPECT_LE(deviation(field.grid(), fft.grid_box(), values, shape), tolerance<Value>);
      fft.forward(field);  // leaves a spectrum in the field
    }
  }
}

class Dense : public ::testing::TestWithParam<GridShape> {};

TEST_P(Dense, ComplexDouble) { check_kind<std::complex<double>>(GetParam(), options_for(GetParam(), 0)); }
TEST_P(Dense, RealDouble) { check_kind<double>(GetParam(), options_for(GetParam(), 1)); }
TEST_P(Dense, ComplexFloat) { check_kind<std::complex<float>>(GetParam(), options_for(GetParam(), 2)); }
TEST_P(Dense, RealFloat) { check_kind<float>(GetParam(), options_for(GetParam(), 3)); }

INSTANTIATE_TEST_SUITE_P(Shapes, Dense,
                         ::testing::Values(GridShape{1, 1, 1}, GridShape{2, 2, 2}, GridShape{2, 1, 1},
                                           GridShape{1, 1, 5}, GridShape{5, 6, 7}, GridShape{7, 1, 3},
                                           GridShape{16, 21, 41}, GridShape{31, 4, 2}));

std::vector<GridShape> large_shapes() {
  if (!long_suite()) return {{50, 45, 25}, {31, 47, 53}};
  return {{125, 125, 125}, {97, 97, 97}};
}
class LargeDense : public ::testing::TestWithParam<GridShape> {};
TEST_P(LargeDense, ComplexDouble) {
  std::vector<FftOptions> options{{}};
  std::size_t next = 0;  // each algorithm and each decomposition occurs; small shapes test all combinations
  for (const Algorithm algorithm : ways_here()) {
    const auto decomposition = all_decompositions[next++ % all_decompositions.size()];
    options.push_back({.policy = {.algorithm = algorithm}, .decomposition = decomposition, .reproducible = true});
  }
  check_kind<std::complex<double>>(GetParam(), options);
}
INSTANTIATE_TEST_SUITE_P(Shapes, LargeDense, ::testing::ValuesIn(large_shapes()));

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

TEST(Dense, OnMklWhereItIs) {
  if (!is_here(LineLibrary::mkl)) GTEST_SKIP() << "MKL is not here";
  auto options = all_options();
  for (FftOptions& one : options) one.library = LineLibrary::mkl;
  for (const GridShape shape : {GridShape{5, 6, 7}, GridShape{16, 21, 41}, GridShape{1, 8, 125}}) {
    check_kind<std::complex<double>>(shape, options);
    check_kind<double>(shape, options);
    check_kind<std::complex<float>>(shape, options);
    check_kind<float>(shape, options);
    options.resize(1);  // the options concern exchanges, and the smallest grid has covered them
  }
}

TEST(Dense, CallersOwnArrays) {
  const GridShape shape{5, 6, 7};
  const auto values = random_values(shape.volume(), 3);
  auto spectrum = shared_fourier_sum(values, shape, -1);
  for (Wide& value : spectrum) value /= static_cast<double>(shape.volume());
  DenseFft<Wide> fft(MPI_COMM_WORLD, shape);
  std::vector<Wide> grid(static_cast<std::size_t>(fft.grid_box().volume()));
  std::vector<Wide> mine(static_cast<std::size_t>(fft.spectrum_box().volume()));
  fill(dense_view(grid.data(), fft.grid_box()), fft.grid_box(), values, shape);
  fft.forward(grid, mine);
  EXPECT_LE(deviation(dense_view(mine.data(), fft.spectrum_box()), fft.spectrum_box(), spectrum, shape), 1e-13);
  std::fill(grid.begin(), grid.end(), Wide{});
  fft.backward(mine, grid);
  EXPECT_LE(deviation(dense_view(grid.data(), fft.grid_box()), fft.grid_box(), values, shape), 1e-13);
}

TEST(Dense, FieldsOnADeviceHaveNoViews) {
  DenseFft<Wide> fft(MPI_COMM_WORLD, {5, 6, 7}, {.space = Space::cuda});
  auto field = fft.allocate();
  const char* sentence =
      "fft: values of a field on a device are not accessible from the host: pass arrays to forward() and backward()";
  expect_error(Fault::unsupported, sentence, [&] { field.grid(); });
  fft.exchange_only(field);
  fft.forward(field);
  expect_error(Fault::unsupported, sentence, [&] { field.spectrum(); });
}

TEST(Dense, WrongSizesAndOrderAreRefused) {
  DenseFft<Wide> fft(MPI_COMM_WORLD, {4, 4, 4});
  std::vector<Wide> wrong(3);
  expect_error(Fault::bad_argument, "wrong array sizes: this rank has ", [&] { fft.forward(wrong, wrong); });
  auto field = fft.allocate();
  expect_error(Fault::bad_argument, "call become_spectrum() and fill spectrum() first", [&] { fft.backward(field); });
  expect_error(Fault::bad_argument, "transform it with forward(), or call become_spectrum()",
               [&] { field.spectrum(); });
  fft.forward(field);
  expect_error(Fault::bad_argument, "call become_grid() and fill grid() first", [&] { fft.forward(field); });
  expect_error(Fault::bad_argument, "transform it with backward(), or call become_grid()", [&] { field.grid(); });
  DenseFft<Wide> other(MPI_COMM_WORLD, {4, 4, 6});
  expect_error(Fault::bad_argument, "the field belongs to another plan", [&] { other.backward(field); });
  DenseFft<Wide> same(MPI_COMM_WORLD, {4, 4, 4});
  same.backward(field);  // a plan with the same arguments accepts the field
}

/// Tests an algorithm with shared memory, and one with messages.
TEST(Dense, FieldsThatOneRankCannotTransformAreRefusedOnAll) {
  const bool last = rank() == ranks() - 1;
  for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise}) {
    const FftOptions options{.policy = {.algorithm = algorithm}};
    DenseFft<double> fft(MPI_COMM_WORLD, {5, 6, 7}, options), other(MPI_COMM_WORLD, {5, 6, 8}, options);
    std::vector<Field<double>> fields;
    for (int f = 0; f < 3; ++f) fields.push_back(fft.allocate());
    Field<double> foreign = other.allocate();
    expect_error(Fault::bad_argument, "the field belongs to another plan",
                 [&] { fft.forward(last ? foreign : fields[0]); });
    expect_error(Fault::bad_argument, "the field belongs to another plan",
                 [&] { fft.exchange_only(last ? foreign : fields[0]); });
    fft.forward(fields);
    fft.backward(fields);
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

TEST(Dense, PlansMadeAlikeHaveTheirOwnProgress) {
  DenseFft<Wide> first(MPI_COMM_WORLD, {8, 9, 10}), second(MPI_COMM_WORLD, {8, 9, 10});
  auto field = first.allocate();
  first.forward(field);
  EXPECT_GT(first.progress().worked, 0);
  EXPECT_EQ(second.progress().worked, 0);
  second.backward(field);
  EXPECT_GT(second.progress().worked, 0);
  compared(3);
}

TEST(Dense, WhatIsClosedSaysSo) {
  auto fft = std::make_unique<DenseFft<Wide>>(MPI_COMM_WORLD, GridShape{8, 9, 10});
  DenseFft<Wide> same(MPI_COMM_WORLD, {8, 9, 10});
  auto field = fft->allocate();
  for (int twice = 0; twice < 2; ++twice) {
    field.close();
    fft->close();
  }
  expect_error(Fault::bad_argument, "fft: this field is closed", [&] { field.grid(); });
  expect_error(Fault::bad_argument, "fft: this field is closed", [&] { same.forward(field); });
  expect_error(Fault::bad_argument, "fft: this plan is closed", [&] { fft->grid_box(); });
  expect_error(Fault::bad_argument, "fft: this plan is closed", [&] { fft->allocate(); });
  fft.reset();
  field = same.allocate();
  same.forward(field);
}

TEST(Dense, BoxesAreKnownWithoutAPlan) {
  const GridShape shape{5, 6, 7};
  for (const auto decomposition : all_decompositions) {
    const FftOptions options{.decomposition = decomposition};
    const DenseFft<Wide> fft(MPI_COMM_WORLD, shape, options);
    const auto boxes = dense_grid_boxes(ranks(), shape, options);
    EXPECT_EQ(boxes[static_cast<std::size_t>(rank())], fft.grid_box());
    std::int64_t points = 0;
    for (const Box& box : boxes) points += box.volume();
    EXPECT_EQ(points, shape.volume());
    compared(2);
  }
}

}  // namespace
}  // namespace seiche::testing
