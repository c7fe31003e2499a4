// SPDX-License-Identifier: BSD-3-Clause
/// \file  Many dense grids in callers' arrays of several layouts, with known spectra, which FFTW computes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fft/sharing.hpp"
#include "seiche/fft.hpp"
#include "support/fftw_oracle.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing::dense_fields {

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

inline FieldArray array_of(const Box& box, const Layout& layout, std::int64_t row) {
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

inline std::size_t room(const DenseArrays& arrays) {
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

inline std::vector<FftOptions> all_options() {
  std::vector<FftOptions> all;
  for (const Algorithm algorithm : ways_here()) all.push_back({.policy = {.algorithm = algorithm}});
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 2}, .threads = 2, .chunks = {3, 1}});
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .window = 1}, .reproducible = true, .chunks = {1, 1, 1}});
  return all;
}

}  // namespace seiche::testing::dense_fields
