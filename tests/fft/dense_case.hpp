// SPDX-License-Identifier: BSD-3-Clause
/// \file  Dense grids with spectra by the definition, and checks of all transforms of dense plans.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "fft/dense/field.hpp"
#include "layout/extent.hpp"
#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/pairwise.hpp"
#include "support/points.hpp"

namespace seiche::testing {

/// Calls check(Value()) for the kind of value that the first setting of a row chooses. Failures name the row.
template <class Check>
void check_kind_of(const Choice& row, const Check& check) {
  std::string name = "settings";
  for (const std::size_t value : row) name += " " + std::to_string(value);
  SCOPED_TRACE(name);
  if (row[0] == 0) check(Wide());
  if (row[0] == 1) check(double());
  if (row[0] == 2) check(std::complex<float>());
  if (row[0] == 3) check(float());
}

/// Distribution of planes or columns over the ranks.
enum class Sharing { blocks, ceil, one_has_all, reversed, every_other };
inline Range part_of(std::int64_t n, Sharing how) {
  const int last = ranks() - 1;
  switch (how) {
    case Sharing::blocks:
      return block(n, ranks(), rank());
    case Sharing::ceil: {
      const std::int64_t size = (n + last) / ranks(), low = std::min(n, rank() * size);
      return {low, std::min(n, low + size)};
    }
    case Sharing::one_has_all:
      return rank() == last ? Range{0, n} : Range{};
    case Sharing::reversed:
      return block(n, ranks(), last - rank());
    default:
      return rank() % 2 == last % 2 ? block(n, (last + 2) / 2, rank() / 2) : Range{};
  }
}

/// Grids and their spectra, by the definition.
template <class Value>
struct Grids {
  static constexpr bool real = std::is_floating_point_v<Value>;
  static constexpr double tolerance = sizeof(typename ComplexOf<Value>::type) == 16 ? 1e-13 : 1e-5;

  Grids(const GridShape& of, std::int64_t count, bool plus = false, bool unscaled = false) : shape(of) {
    const double scale = unscaled ? 1 : 1 / static_cast<double>(shape.volume());
    for (std::int64_t f = 0; f < count; ++f) {
      grid.push_back(random_values(shape.volume(), static_cast<unsigned>(7 + f)));
      for (Wide& value : grid.back()) value = real ? Wide(value.real()) : value;
      spectrum.push_back(shared_fourier_sum(grid.back(), shape, plus ? +1 : -1));
      for (Wide& value : spectrum.back()) value *= scale;
    }
  }
  GridShape shape;
  std::vector<std::vector<Wide>> grid, spectrum;  // [field][point]
};

/// Layout of callers' arrays.
struct Layout {
  std::int64_t fields = 1;
  bool side_by_side = false;  // interleaved fields, otherwise one after another
  bool returns = false;       // the spectrum has the planes of the grid
  bool in_place = false;
  Sharing z = Sharing::ceil, y = Sharing::ceil;
};

inline FieldArray array_of(const Box& box, const Layout& layout, std::int64_t row) {
  const std::int64_t between = layout.side_by_side ? layout.fields + 2 : 1;  // two fields are not transformed
  FieldArray array{box, {between, between * row, between * row * box.size(1)}, 1};
  if (!layout.side_by_side) array.field_stride = row * box.size(1) * box.size(2) + 3;
  return array;
}

/// Returns callers' arrays with padding.
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
    constexpr std::int64_t values = real ? 2 : 1;
    std::int64_t& spectrum = arrays.spectrum.field_stride;
    spectrum = std::max(spectrum, (arrays.grid.field_stride + values - 1) / values);
    arrays.grid.field_stride = values * spectrum;
  }
  return arrays;
}

/// Memory of a grid or a spectrum, or of both. It is longer than needed.
class Bytes {
 public:
  Bytes(const DenseArrays& arrays, bool there) : array_(std::vector<std::byte>(room(arrays), unused), there) {}
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(array_.span().data()), array_.span().size() / sizeof(T)};
  }
  /// Writes fields to the places of an array.
  template <class T>
  void fill(const FieldArray& array, const std::vector<std::vector<Wide>>& fields, const GridShape& shape, bool there) {
    auto bytes = array_.values();
    T* const values = reinterpret_cast<T*>(bytes.data());
    for (std::size_t f = 0; f < fields.size(); ++f) {
      each_point(array, static_cast<std::int64_t>(f),
                 [&](const Point& p, std::size_t at) { values[at] = as_value<T>(fields[f][index_in(shape, p)]); });
    }
    array_ = CallersArray<std::byte>(bytes, there);
  }
  /// Checks the fields, and with `alone` that other bytes are as before.
  template <class T>
  void expect(const FieldArray& array, const std::vector<std::vector<Wide>>& fields, const GridShape& shape,
              double tolerance, bool alone) const {
    auto bytes = array_.values();
    T* const values = reinterpret_cast<T*>(bytes.data());
    double worst = 0, largest = 1e-300;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (const Wide& value : fields[f]) largest = std::max(largest, std::abs(value));
      each_point(array, static_cast<std::int64_t>(f), [&](const Point& p, std::size_t at) {
        const double off = std::abs(Wide(values[at]) - fields[f][index_in(shape, p)]);
        worst = std::isnan(off) ? 1e300 : std::max(worst, off);
        std::memset(static_cast<void*>(values + at), static_cast<int>(unused), sizeof(T));
        compared();
      });
    }
    EXPECT_LE(worst / largest, tolerance);
    const std::int64_t others = std::ssize(bytes) - std::count(bytes.begin(), bytes.end(), unused);
    EXPECT_EQ(alone ? others : 0, 0) << "bytes of padding were written";
  }

 private:
  static constexpr std::byte unused{0x5a};
  static std::size_t room(const DenseArrays& arrays) {
    const std::size_t values = std::max(extent(arrays.grid, arrays.fields), extent(arrays.spectrum, arrays.fields));
    return (values + 4) * sizeof(Wide);
  }
  CallersArray<std::byte> array_;
};

/// Where arrays are, and how calls are made.
struct DenseUse {
  bool grid_there = false, spectrum_there = false;  // in device memory
  bool started = false;
};

inline void end(Pending call) {
  for (int i = 0; i < 5 * rank(); ++i) call.progress();
  call.finish();
}

/// Checks transforms of arrays, in both directions, twice, so that memory of the plan has been used.
template <class Value>
void expect_transforms(DenseFft<Value>& fft, const Grids<Value>& of, const DenseArrays& arrays, const DenseUse& use) {
  using Complex = typename ComplexOf<Value>::type;
  const double back = arrays.unscaled ? static_cast<double>(of.shape.volume()) : 1;
  auto returned = of.grid;
  for (auto& field : returned) {
    for (Wide& value : field) value *= back;
  }
  for (const bool forward : {true, false, false, true}) {
    Bytes grid(arrays, use.grid_there), other(arrays, use.spectrum_there);
    Bytes& spectrum = arrays.in_place ? grid : other;
    if (forward) {
      grid.fill<Value>(arrays.grid, of.grid, of.shape, use.grid_there);
    } else {
      spectrum.fill<Complex>(arrays.spectrum, of.spectrum, of.shape,
                             arrays.in_place ? use.grid_there : use.spectrum_there);
    }
    const std::span<Value> values = grid.as<Value>();
    const std::span<Complex> waves = spectrum.as<Complex>();
    if (use.started) {
      end(forward ? fft.start_forward(values, waves) : fft.start_backward(waves, values));
    } else {
      forward ? fft.forward(values, waves) : fft.backward(waves, values);
    }
    if (forward) {
      spectrum.expect<Complex>(arrays.spectrum, of.spectrum, of.shape, of.tolerance, !arrays.in_place);
    } else {
      grid.expect<Value>(arrays.grid, returned, of.shape, of.tolerance, !arrays.in_place);
    }
  }
}

template <class Value>
void check_arrays(const Grids<Value>& of, const DenseArrays& arrays, FftOptions options, const DenseUse& use = {}) {
  DenseFft<Value> fft(MPI_COMM_WORLD, of.shape, arrays, options);
  EXPECT_EQ(fft.report().library == "cuFFT", options.space == Space::cuda);
  expect_transforms(fft, of, arrays, use);
}

/// Checks transforms of arrays in the distribution of the plan, of exact length.
template <class Value>
void check_own_boxes(const Grids<Value>& of, const FftOptions& options, const DenseUse& use = {}) {
  using Complex = typename ComplexOf<Value>::type;
  DenseFft<Value> fft(MPI_COMM_WORLD, of.shape, options);
  const auto in = [&]<class T>(T, const Box& box, const std::vector<Wide>& whole) {
    return values_in<T>(consecutive(box), 1, static_cast<std::size_t>(box.volume()), of.shape,
                        [&](std::int64_t, std::size_t at) { return whole[at]; });
  };
  const auto want = in(Value(), fft.grid_box(), of.grid[0]);
  const auto waves = in(Complex(), fft.spectrum_box(), of.spectrum[0]);
  for (int repeat = 0; repeat < 2; ++repeat) {
    CallersArray<Value> grid(want, use.grid_there), back(std::vector<Value>(want.size()), use.grid_there);
    CallersArray<Complex> spectrum(std::vector<Complex>(waves.size(), Complex(-7)), use.spectrum_there);
    if (use.started) {
      end(fft.start_forward(grid.span(), spectrum.span()));
      end(fft.start_backward(spectrum.span(), back.span()));
    } else {
      fft.forward(grid.span(), spectrum.span());
      fft.backward(spectrum.span(), back.span());
    }
    expect_close<Complex>(spectrum.values(), waves, of.tolerance);
    expect_close<Value>(back.values(), want, 4 * of.tolerance);
    expect_close<Value>(grid.values(), want, 0);
  }
}

/// Checks transforms of fields in memory of the plan: several at once, and one alone.
template <class Value>
class FieldsOfPlan {
 public:
  using Complex = typename ComplexOf<Value>::type;
  FieldsOfPlan(const Grids<Value>& of, const FftOptions& options, bool started)
      : of_(of), on_host_(options.space == Space::host), started_(started), fft_(MPI_COMM_WORLD, of.shape, options) {
    for (std::size_t f = 0; f < of.grid.size(); ++f) fields_.push_back(fft_.allocate());
  }
  void check() {
    const DenseEnds& ends = Field<Value>::Body::of(fields_[0]).setup()->ends;
    const FieldArray grid{fft_.grid_box(), ends.grid}, spectrum{fft_.spectrum_box(), ends.spectrum};
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      std::vector<Value> values(extent(grid, 1));
      each_point(grid, 0, [&](const Point& p, std::size_t at) {
        values[at] = as_value<Value>(of_.grid[f][index_in(of_.shape, p)]);
      });
      copy(values.data(), grid_of(fields_[f]), values.size() * sizeof(Value));
    }
    for (const bool single : {false, true, false}) {
      single ? fft_.forward(fields_[0]) : started_ ? end(fft_.start_forward(fields_)) : fft_.forward(fields_);
      for (std::size_t f = 0; f < (single ? 1 : fields_.size()); ++f) {
        expect<Complex>(spectrum_of(fields_[f]), spectrum, of_.spectrum[f]);
      }
      single ? fft_.backward(fields_[0]) : started_ ? end(fft_.start_backward(fields_)) : fft_.backward(fields_);
      for (std::size_t f = 0; f < fields_.size(); ++f) expect<Value>(grid_of(fields_[f]), grid, of_.grid[f]);
    }
  }

 private:
  Value* grid_of(Field<Value>& field) const {
    return on_host_ ? field.grid().data : reinterpret_cast<Value*>(Field<Value>::Body::of(field).memory().rows(0));
  }
  Complex* spectrum_of(Field<Value>& field) const {
    return on_host_ ? field.spectrum().data
                    : reinterpret_cast<Complex*>(Field<Value>::Body::of(field).memory().columns());
  }
  void copy(const void* from, void* into, std::size_t bytes) const {
    Field<Value>::Body::of(fields_[0]).setup()->plan.queue.copy(from, into, bytes).wait();
  }
  template <class T>
  void expect(const T* memory, const FieldArray& array, const std::vector<Wide>& want) const {
    std::vector<T> values(extent(array, 1));
    copy(memory, values.data(), values.size() * sizeof(T));
    double worst = 0;
    each_point(array, 0, [&](const Point& p, std::size_t at) {
      const double off = std::abs(Wide(values[at]) - want[index_in(of_.shape, p)]);
      worst = std::isnan(off) ? 1e300 : std::max(worst, off);
      compared();
    });
    EXPECT_LE(worst, 4 * of_.tolerance);
  }

  const Grids<Value>& of_;
  bool on_host_, started_;
  DenseFft<Value> fft_;
  std::vector<Field<Value>> fields_;
};

}  // namespace seiche::testing
