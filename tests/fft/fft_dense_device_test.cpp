// SPDX-License-Identifier: BSD-3-Clause
/// \file  Dense transforms on a CUDA device: callers' arrays in host and device memory, fields, slabs and pencils,
/// compared with FFTW and with sums by the definition.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "fft/dense/field.hpp"
#include "fft/dense_fields.hpp"
#include "layout/extent.hpp"
#include "seiche/device_memory.hpp"

namespace seiche::testing {
namespace {

using namespace dense_fields;

/// Array that a call receives: the caller's array in host memory, or a copy in device memory.
template <class T>
class Given {
 public:
  Given(std::span<T> values, bool on_device) : values_(values) {
    if (on_device) device_ = std::make_unique<DeviceArray<T>>(std::span<const T>(values));
  }
  std::span<T> span() const { return device_ ? device_->span() : values_; }
  template <class U>
  std::span<U> as() const {
    return {reinterpret_cast<U*>(span().data()), span().size_bytes() / sizeof(U)};
  }
  void take_back() const {
    if (!device_) return;
    const auto values = device_->values();
    std::copy(values.begin(), values.end(), values_.begin());
  }

 private:
  std::span<T> values_;
  std::unique_ptr<DeviceArray<T>> device_;
};

struct Places {
  bool grid, spectrum;  // in device memory
};

template <class Value>
void check(const Known& known, const DenseArrays& layout, const FftOptions& options, const Places& places) {
  using Complex = typename ComplexOf<Value>::type;
  SCOPED_TRACE(::testing::Message() << name_of(options.policy.algorithm) << ", grid on the device " << places.grid
                                    << ", spectrum " << places.spectrum);
  DenseFft<Value> fft(MPI_COMM_WORLD, known.shape, layout, options);
  EXPECT_EQ(fft.report().library, "cuFFT");
  for (const bool forward : {true, false}) {
    Arrays<Value> arrays(known, layout);
    forward ? arrays.fill() : arrays.fill_spectrum();
    const Given<Value> grid(arrays.grid(), places.grid);
    const Given<Complex> other(layout.in_place ? std::span<Complex>() : arrays.spectrum(), places.spectrum);
    const std::span<Complex> spectrum = layout.in_place ? grid.template as<Complex>() : other.span();
    forward ? fft.forward(grid.span(), spectrum) : fft.backward(spectrum, grid.span());
    grid.take_back();
    other.take_back();
    const double scale = layout.unscaled ? static_cast<double>(known.shape.volume()) : 1;
    EXPECT_LE(forward ? arrays.spectrum_off() : arrays.grid_off(scale), tolerance<Value>);
  }
}

/// Calls work(value) with a value of the kind that a row of settings tests; in the long suite, of all kinds.
template <class Work>
void with_kinds(std::size_t row, const Work& work) {
  const auto tested = [row](std::size_t kind) { return row % 4 == kind || long_suite(); };
  if (tested(0)) work(Wide());
  if (tested(1)) work(double());
  if (tested(2)) work(std::complex<float>());
  if (tested(3)) work(float());
}

FftOptions on_cuda(FftOptions options) {
  options.space = Space::cuda;
  return options;
}

/// Combinations in which each algorithm and each layout occurs. Each layout occurs with each kind of values.
TEST(CudaDense, ManyFieldsOfTheCaller) {
  struct Size {
    GridShape shape;
    std::int64_t fields;
  };
  constexpr Size sizes[]{{{8, 11, 13}, 4}, {{5, 6, 7}, 1}, {{2, 3, 1}, 4}, {{7, 1, 4}, 2}, {{1, 1, 1}, 3}};
  const auto options = all_options();
  std::size_t row = 0;
  for (const auto& [shape, fields] : sizes) {
    const Known complex = known<Wide>(shape, fields), real = known<double>(shape, fields);
    const Size size{shape, fields};
    for (std::size_t l = 0; l < 8; ++l, ++row) {
      const Layout layout{size.fields,  l % 2 == 1, l / 2 % 2 == 1, l / 4 == 1, all_sharings[row % all_sharings.size()],
                          Sharing::ceil};
      SCOPED_TRACE(layout.name());
      const Places places{(l + row / 8) % 2 == 0, (l + row / 8) / 2 % 2 == 0};
      with_kinds(l + row / 8, [&](auto value) {
        using Value = decltype(value);
        check<Value>(std::is_floating_point_v<Value> ? real : complex, arrays_of<Value>(size.shape, layout),
                     on_cuda(options[row % options.size()]), places);
      });
    }
  }
}

/// The grid is large enough for several bundles, except on many ranks.
TEST(CudaDense, SeveralBundlesInFlight) {
  const GridShape shape{40, 36, 42};
  constexpr std::int64_t fields = 6;
  const Known all = known<Wide>(shape, fields);
  const Layout layout{fields, false, false, false, Sharing::blocks, Sharing::blocks};
  check<Wide>(all, arrays_of<Wide>(shape, layout),
              on_cuda({.policy = {.algorithm = Algorithm::pairwise, .window = 2}, .chunks = {2, 1, 1}}), {true, true});
}

TEST(CudaDense, TheOtherSignAndNoScale) {
  const GridShape shape{5, 6, 7};
  auto arrays = arrays_of<Wide>(shape, {3, true, false, false, Sharing::ceil, Sharing::ceil});
  arrays.plus = arrays.unscaled = true;
  check<Wide>(known<Wide>(shape, 3, true), arrays, on_cuda({}), {true, true});
}

/// Reals that begin at an odd index are not aligned for cuFFT.
TEST(CudaDense, UnalignedReals) {
  const GridShape shape{5, 3, 7};
  const Known all = known<double>(shape, 2);
  const Box planes{{Range{0, 5}, Range{0, 3}, part_of(7, Sharing::blocks)}};
  const Box columns{{Range{0, 3}, part_of(3, Sharing::blocks), Range{0, 7}}};
  DenseArrays layout{.fields = 2, .grid = consecutive(planes), .spectrum = consecutive(columns)};
  layout.grid.offset = 1;
  DenseFft<double> fft(MPI_COMM_WORLD, shape, layout, on_cuda({.chunks = {1, 1}}));
  std::vector<double> grid(extent(layout.grid, 2)), back(grid.size());
  std::vector<Wide> spectrum(extent(layout.spectrum, 2)), expected = spectrum;
  each_value(layout.grid, 2, shape,
             [&](std::size_t at, std::size_t place, std::size_t f) { grid[place + 1] = all.grid[f][at].real(); });
  each_value(layout.spectrum, 2, shape, [&](std::size_t at, std::size_t place, std::size_t f) {
    expected[place] = all.spectrum[f][at] / static_cast<double>(shape.volume());
  });
  fft.forward(grid, spectrum);
  expect_close<Wide>(spectrum, expected, 1e-14);
  fft.backward(spectrum, back);
  expect_close<double>(back, grid, 1e-13);
}

/// One field and its spectrum, by the definition.
struct One {
  GridShape shape;
  std::vector<Wide> grid, spectrum;
};
template <class Value>
One one_field(const GridShape& shape) {
  One one{shape, random_values(shape.volume(), 11), {}};
  for (Wide& value : one.grid) value = std::is_floating_point_v<Value> ? Wide(value.real()) : value;
  one.spectrum = shared_fourier_sum(one.grid, shape, -1);
  for (Wide& value : one.spectrum) value /= static_cast<double>(shape.volume());
  return one;
}

/// Returns this rank's part of a whole array, in a layout.
template <class T>
std::vector<T> part(const std::vector<Wide>& whole, const FieldArray& array, const GridShape& shape) {
  std::vector<T> values(extent(array, 1));
  each_value(array, 1, shape,
             [&](std::size_t at, std::size_t place, std::size_t) { values[place] = as_value<T>(whole[at]); });
  return values;
}

template <class Value>
void check_one(const GridShape& shape, const FftOptions& options) {
  using Complex = typename ComplexOf<Value>::type;
  SCOPED_TRACE(::testing::Message() << name_of(options.policy.algorithm) << " " << name_of(options.decomposition));
  const One one = one_field<Value>(shape);
  const double close = sizeof(Complex) == 16 ? 1e-13 : 1e-5;
  DenseFft<Value> fft(MPI_COMM_WORLD, shape, options);
  const auto grid = part<Value>(one.grid, consecutive(fft.grid_box()), shape);
  const auto spectrum = part<Complex>(one.spectrum, consecutive(fft.spectrum_box()), shape);
  std::vector<Complex> out(spectrum.size(), Complex(-7));
  const DeviceArray<Value> back(grid.size());
  fft.forward(grid, out);
  expect_close<Complex>(out, spectrum, close);
  fft.backward(out, back.span());
  expect_close<Value>(back.values(), grid, close);
}

/// Number of rows of settings for a shape in the short suite.
constexpr std::size_t rows_of_a_shape = 3;

/// Calls work(options, row) for some rows. Over several shapes, each algorithm occurs with each decomposition.
template <class Work>
void each_options(std::size_t first, const Work& work) {
  const auto algorithms = ways_here();
  const std::size_t pairs = algorithms.size() * all_decompositions.size();
  for (std::size_t row = first; row < first + (long_suite() ? pairs : rows_of_a_shape); ++row) {
    const std::size_t turn = row + row / algorithms.size();
    work(FftOptions{.policy = {.algorithm = algorithms[row % algorithms.size()]},
                    .decomposition = all_decompositions[turn % all_decompositions.size()],
                    .chunks = row / 2 % 2 == 0 ? std::vector<int>{} : std::vector<int>{2, 1, 1},
                    .space = Space::cuda},
         row);
  }
}

TEST(CudaDense, OneFieldOfTheCaller) {
  std::size_t first = 0;
  for (const GridShape& shape : {GridShape{5, 6, 7}, {16, 13, 9}, {31, 4, 2}, {7, 1, 3}, {1, 1, 5}, {2, 1, 1}}) {
    each_options(first, [&](const FftOptions& options, std::size_t row) {
      with_kinds(row, [&](auto value) { check_one<decltype(value)>(shape, options); });
    });
    first += rows_of_a_shape;
  }
}

/// Fields in device memory of the plan. `fields`: number of fields
template <class Value>
class Fields {
 public:
  using Complex = typename ComplexOf<Value>::type;
  Fields(const One& one, const FftOptions& options, int fields) : one_(one), fft_(MPI_COMM_WORLD, one.shape, options) {
    for (int f = 0; f < fields; ++f) fields_.push_back(fft_.allocate());
  }

  /// Transforms fields forward, backward and forward, in place.
  void check() {
    const DenseEnds& ends = fields_[0].body().setup()->ends;
    const auto grid = part<Value>(one_.grid, {fft_.grid_box(), ends.grid}, one_.shape);
    const auto spectrum = part<Complex>(one_.spectrum, {fft_.spectrum_box(), ends.spectrum}, one_.shape);
    for (Field<Value>& field : fields_) copy(grid.data(), field.body().memory().rows(0), grid.size() * sizeof(Value));
    for (const bool single : {false, true}) {
      single ? fft_.forward(fields_[0]) : fft_.forward(std::span(fields_));
      for (Field<Value>& field : fields_) {
        if (!single || &field == fields_.data())
          expect(field.body().memory().columns(), spectrum, {fft_.spectrum_box(), ends.spectrum});
      }
      single ? fft_.backward(fields_[0]) : fft_.backward(std::span(fields_));
      for (Field<Value>& field : fields_) expect(field.body().memory().rows(0), grid, {fft_.grid_box(), ends.grid});
    }
  }

 private:
  void copy(const void* from, void* into, std::size_t bytes) {
    fields_[0].body().setup()->plan.queue.copy(from, into, bytes).wait();
  }
  /// Compares the points of a box. Padding has no defined values.
  template <class T>
  void expect(const void* memory, const std::vector<T>& expected, const FieldArray& array) {
    std::vector<T> values(expected.size());
    copy(memory, values.data(), values.size() * sizeof(T));
    double worst = 0;
    each_value(array, 1, one_.shape, [&](std::size_t, std::size_t place, std::size_t) {
      const double off = std::abs(values[place] - expected[place]);
      worst = std::isnan(off) ? 1e300 : std::max(worst, off);
      compared();
    });
    EXPECT_LE(worst, sizeof(Complex) == 16 ? 1e-13 : 1e-5);
  }

  const One& one_;
  DenseFft<Value> fft_;
  std::vector<Field<Value>> fields_;
};

template <class Value>
void check_fields(const GridShape& shape, const FftOptions& options) {
  SCOPED_TRACE(::testing::Message() << name_of(options.policy.algorithm) << " " << name_of(options.decomposition));
  const One one = one_field<Value>(shape);
  Fields<Value>(one, options, 4).check();
}

TEST(CudaDense, FieldsOfThePlan) {
  std::size_t first = 0;
  for (const GridShape& shape : {GridShape{5, 6, 7}, {12, 9, 10}, {4, 1, 3}}) {
    each_options(first, [&](const FftOptions& options, std::size_t row) {
      with_kinds(row, [&](auto value) { check_fields<decltype(value)>(shape, options); });
    });
    first += rows_of_a_shape;
  }
}

TEST(CudaDense, StartedCallsAndTheCallersStream) {
  constexpr std::int64_t legacy_stream = 1;
  const GridShape shape{9, 8, 10};
  const One one = one_field<Wide>(shape);
  for (const std::int64_t stream : {std::int64_t{0}, legacy_stream}) {
    for (const Algorithm algorithm : {Algorithm::automatic, Algorithm::pairwise}) {
      DenseFft<Wide> fft(MPI_COMM_WORLD, shape,
                         {.policy = {.algorithm = algorithm}, .space = Space::cuda, .stream = stream});
      const auto grid = part<Wide>(one.grid, consecutive(fft.grid_box()), shape);
      const auto spectrum = part<Wide>(one.spectrum, consecutive(fft.spectrum_box()), shape);
      const DeviceArray<Wide> from{std::span<const Wide>(grid)}, into(spectrum.size());
      Pending call = fft.start_forward(from.span(), into.span());
      while (rank() == 0 && ranks() == 1 && !call.progress()) continue;
      call.finish();
      expect_close<Wide>(into.values(), spectrum, 1e-13);
    }
  }
}

/// All ranks throw the error of one rank.
TEST(CudaDense, NeedCufft) {
  if (rank() == ranks() - 1) setenv("SEICHE_EMULATED_NO_CUFFT", "1", 1);
  expect_error(Fault::unsupported, "these transforms need the library cuFFT", [] {
    DenseFft<Wide>(MPI_COMM_WORLD, {11, 12, 13}, {.space = Space::cuda});
  });
  unsetenv("SEICHE_EMULATED_NO_CUFFT");
  check_one<Wide>({11, 12, 13}, {.space = Space::cuda});
}

}  // namespace
}  // namespace seiche::testing
