// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of a plane-wave sphere on distributed waves, with their values on the grid by the definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/points.hpp"

namespace seiche::testing {

using Complex = std::complex<double>;

/// Distribution of the waves over the ranks.
enum class Spread { sticks, blocks, cyclic, last_rank, scattered };

/// What an array of waves is, on all ranks.
struct SphereCase {
  GridShape shape{12, 10, 15};
  Spread spread = Spread::sticks;
  std::int64_t bands = 5;
  int components = 1;
};

/// Returns waves within a part of the ellipsoid of the grid, in a shuffled order. Half spheres contain either G or -G.
/// \param radius relative to the ellipsoid of the grid  \param centre index along x
inline std::vector<Miller> waves_in(const GridShape& shape, bool half, double radius = 1, double centre = 0) {
  const Miller most{static_cast<int>(shape.nx - 1) / 2, static_cast<int>(shape.ny - 1) / 2,
                    static_cast<int>(shape.nz - 1) / 2};
  std::vector<Miller> waves;
  for (std::int32_t x = -most.x; x <= most.x; ++x) {
    for (std::int32_t y = -most.y; y <= most.y; ++y) {
      for (std::int32_t z = -most.z; z <= most.z; ++z) {
        const auto part = [](double i, double m) { return m == 0 ? 0.0 : i * i / (m * m); };
        const double r = part(x - centre, most.x) + part(y, most.y) + part(z, most.z);
        if (r > radius * radius || (half && !in_half({x, y, z}))) continue;
        const bool flip = half && (x + y + z) % 3 == 0;  // callers may store either of G and -G
        waves.push_back(flip ? Miller{-x, -y, -z} : Miller{x, y, z});
      }
    }
  }
  for (std::size_t i = waves.size(); i > 1; --i) std::swap(waves[i - 1], waves[(i * 48271) % i]);
  return waves;
}

/// Returns the positions of the waves of this rank.
inline std::vector<std::size_t> positions_of(const std::vector<Miller>& waves, Spread spread) {
  const auto sticks = balanced_owners(waves, ranks());
  const auto owner = [&](std::size_t i) {
    switch (spread) {
      case Spread::sticks:
        return sticks[i];
      case Spread::blocks:
        return block_owner(std::ssize(waves), ranks(), static_cast<std::int64_t>(i));
      case Spread::cyclic:
        return static_cast<int>(i % static_cast<std::size_t>(ranks()));
      case Spread::last_rank:
        return ranks() - 1;
      default:
        return static_cast<int>((i * 7919) % 13) % ((ranks() + 1) / 2);  // half of the ranks have no waves
    }
  };
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < waves.size(); ++i) {
    if (owner(i) == rank()) mine.push_back(i);
  }
  return mine;
}

inline double weight_of(std::int64_t band) { return band % 4 == 2 ? 0 : 0.5 + 0.25 * static_cast<double>(band); }
inline std::vector<double> weights(std::int64_t bands) {
  std::vector<double> all;
  for (std::int64_t b = 0; b < bands; ++b) all.push_back(weight_of(b));
  return all;
}

/// Returns real random values on the whole grid.
inline std::vector<double> real_field(const GridShape& shape, unsigned seed) {
  std::vector<double> field;
  for (const Wide& value : random_values(shape.volume(), seed)) field.push_back(value.real());
  return field;
}

/// Bands of a case. A row is one component of a band.
template <class Value>
struct Bands {
  using Number = typename ComplexOf<Value>::type;
  static constexpr bool half = std::is_floating_point_v<Value>;
  static constexpr double tolerance = sizeof(Number) == sizeof(Complex) ? 1e-12 : 5e-5;

  explicit Bands(const SphereCase& of = {}) : Bands(of, waves_in(of.shape, half)) {}
  Bands(const SphereCase& of, std::vector<Miller> waves, unsigned seed = 11)
      : shape(of.shape), bands(of.bands), components(of.components), all(std::move(waves)) {
    const auto positions = positions_of(all, of.spread);
    for (const std::size_t i : positions) mine.push_back(all[i]);
    for (std::int64_t row = 0; row < bands * components; ++row) {
      auto c = random_values(std::ssize(all), seed + static_cast<unsigned>(row));
      std::vector<Wide> box(static_cast<std::size_t>(shape.volume()));
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Miller g = all[i];
        c[i] /= std::sqrt(static_cast<double>(all.size()));
        if (half && g == Miller{}) c[i] = c[i].real();
        box[index_in(shape, g)] += c[i];
        if (half && !(g == Miller{})) box[index_in(shape, Miller{-g.x, -g.y, -g.z})] += std::conj(c[i]);
      }
      for (const std::size_t i : positions) in.push_back(static_cast<Number>(c[i]));
      whole.insert(whole.end(), c.begin(), c.end());
      grid.push_back(shared_fourier_sum(box, shape, +1));
    }
  }

  SphereFft<Value> plan(FftOptions options = {}) const {
    options.components = components;
    return {MPI_COMM_WORLD, shape, mine, options};
  }
  std::size_t rows() const { return static_cast<std::size_t>(bands * components); }
  /// Returns the values on the grid of the bands of this rank's group: [band][component][point].
  std::vector<Value> on_grid(const SphereFft<Value>& fft) const {
    std::vector<Value> values;
    for (std::int64_t b = fft.first_band_here(); b < bands; b += fft.report().band_groups) {
      const auto these = on_box(fft.grid_box(), b);
      values.insert(values.end(), these.begin(), these.end());
    }
    return values;
  }
  /// Returns the values of one band in a box.
  std::vector<Value> on_box(const Box& box, std::int64_t band) const {
    return values_in<Value>(consecutive(box), components, static_cast<std::size_t>(components * box.volume()), shape,
                            [&](std::int64_t c, std::size_t at) { return row(band, c)[at]; });
  }
  const std::vector<Wide>& row(std::int64_t band, std::int64_t component) const {
    return grid[static_cast<std::size_t>(band * components + component)];
  }
  /// Returns this rank's coefficients of the functions value(band, component, index in the grid), by the definition.
  std::vector<Number> coefficients_of(const std::function<Wide(std::int64_t, std::int64_t, std::size_t)>& value) const {
    std::vector<Number> result;
    for (std::int64_t row = 0; row < bands * components; ++row) {
      std::vector<Wide> function(static_cast<std::size_t>(shape.volume()));
      for (std::size_t at = 0; at < function.size(); ++at) {
        function[at] = value(row / components, row % components, at) / static_cast<double>(shape.volume());
      }
      const auto spectrum = shared_fourier_sum(function, shape, -1);
      for (const Miller& g : mine) result.push_back(static_cast<Number>(spectrum[index_in(shape, g)]));
    }
    return result;
  }

  GridShape shape;
  std::int64_t bands;
  int components;
  std::vector<Miller> all, mine;        // waves of all ranks and of this rank
  std::vector<Number> in;               // this rank's coefficients: [band][component][wave]
  std::vector<Wide> whole;              // coefficients of all waves
  std::vector<std::vector<Wide>> grid;  // values on the whole grid: [band][component]
};

template <class Number>
std::vector<Number> times(std::vector<Number> values, double factor) {
  for (Number& value : values) value *= static_cast<typename Number::value_type>(factor);
  return values;
}
template <class Number>
std::vector<Number> sum_of(std::vector<Number> values, const std::vector<Number>& others) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i];
  return values;
}

/// Checks that a plan doubles the bands.
template <class Value>
void expect_works(SphereFft<Value>& fft, const Bands<Value>& of) {
  using Number = typename Bands<Value>::Number;
  std::vector<Number> out(of.in.size());
  fft.round_trip(of.in, out, of.bands, [](std::int64_t, const Box& box, std::span<const View<Value>> all) {
    for (const View<Value>& values : all) {
      each_point(FieldArray{box, values.stride}, 0, [&](const Point&, std::size_t at) { values.data[at] *= 2; });
    }
  });
  expect_close<Number>(out, times(of.in, 2), of.tolerance);
}

/// Rows of coefficients in memory of the caller. Longer rows have padding, which differs between ranks, and the array
/// has room for another row.
template <class Number>
class CallersRows {
 public:
  CallersRows(const std::vector<Number>& values, std::size_t waves, std::size_t rows, bool longer, bool there)
      : waves_(waves),
        length_(waves + (longer ? 2 + static_cast<std::size_t>(rank()) : 0)),
        longer_(longer),
        rows_(rows),
        array_(laid_out(values), there) {}
  Coefficients<Number> rows() { return {array_.span(), longer_ ? static_cast<std::int64_t>(length_) : 0}; }
  /// Checks the rows, and that the padding has not changed.
  void expect(const std::vector<Number>& values, double tolerance) const {
    expect_close<Number>(array_.values(), laid_out(values), tolerance);
  }

 private:
  std::vector<Number> laid_out(const std::vector<Number>& values) const {
    constexpr Number padding(1e9F, -1e9F);
    std::vector<Number> all((rows_ + (longer_ ? 1 : 0)) * length_, padding);
    for (std::size_t i = 0; i < values.size(); ++i) all[i / waves_ * length_ + i % waves_] = values[i];
    return all;
  }
  std::size_t waves_, length_;
  bool longer_;
  std::size_t rows_;
  CallersArray<Number> array_;
};

/// Calls progress() a different number of times on each rank, then finishes the call.
inline void finished(Pending call) {
  for (int i = 0; i < 7 * (rank() + 1); ++i) call.progress();
  call.finish();
}

}  // namespace seiche::testing
