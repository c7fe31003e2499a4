// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks of all functions of sphere plans that transform bands, against sums by the definition.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda.hpp"
#include "fft/sphere_case.hpp"

namespace seiche::testing {

/// How a caller calls the functions of a plan.
struct Use {
  bool started = false;       // start_...(), progress(), finish()
  bool adds = false;          // Result::adds
  bool longer_rows = false;   // rows of coefficients with padding
  bool bands_there = false;   // coefficients in device memory
  bool values_there = false;  // values on the grid in device memory
};

/// The unit matrix and the Pauli matrices x, y, z.
constexpr std::array<std::array<Complex, 4>, 4> pauli{
    {{1, 0, 0, 1}, {0, 1, 1, 0}, {0, Complex(0, -1), Complex(0, 1), 0}, {1, 0, 0, -1}}};

/// Factors that callbacks apply. They depend on all indices but x.
inline double factor_of_plane(std::int64_t band, std::int64_t component, std::int64_t z) {
  return 1 + 0.125 * static_cast<double>((3 * band + 5 * component + z) % 7);
}
inline double factor_of_row(std::int64_t y) { return 0.5 + 0.25 * static_cast<double>(y % 5); }

/// A callback that compares the values of rows with the definition, and multiplies them by factor_of().
template <class Value>
class Seen {
 public:
  explicit Seen(const Bands<Value>& of) : of_(of), seen_(of.rows()) {
    for (auto& row : seen_) row.assign(of.grid.front().size(), Value(-77));
  }
  void operator()(std::int64_t band, std::int64_t component, const Box& box, const View<Value>& values) {
    const auto& want = of_.row(band, component);
    double worst = 0;
    each_point(FieldArray{box, values.stride}, 0, [&](const Point& p, std::size_t at) {
      const std::size_t point = index_in(of_.shape, p);
      worst = std::max(worst, std::abs(Wide(values.data[at]) - want[point]));
      seen_[static_cast<std::size_t>(band * of_.components + component)][point] = values.data[at];
      values.data[at] *= static_cast<Real>(factor_of_plane(band, component, p[2]) * factor_of_row(p[1]));
    });
    const std::scoped_lock one_at_a_time(mutex_);
    points_ += box.volume();
    EXPECT_LE(worst, of_.tolerance);
  }
  void operator()(std::int64_t band, const Box& box, std::span<const View<Value>> components) {
    EXPECT_EQ(std::ssize(components), of_.components);
    for (std::size_t c = 0; c < components.size(); ++c) {
      (*this)(band, static_cast<std::int64_t>(c), box, components[c]);
    }
  }
  /// Checks that each point of this rank was seen once.
  void expect_all(const SphereFft<Value>& fft) {
    EXPECT_EQ(std::exchange(points_, 0), of_.components * fft.bands_here(of_.bands) * fft.grid_box().volume());
    compared();
  }
  /// Values of all rows at the points that were seen.
  const std::vector<std::vector<Value>>& values() const { return seen_; }

 private:
  using Real = decltype(std::real(Value{}));
  const Bands<Value>& of_;
  std::vector<std::vector<Value>> seen_;
  std::mutex mutex_;  // several threads call the callback
  std::int64_t points_ = 0;
};

/// Multiplies values in device memory by the factors, by kernels in the stream.
template <class Value>
void start_factors(const DeviceBands<Value>& on) {
  const std::int64_t nx = on.box.size(0), ny = on.box.size(1), nz = on.box.size(2);
  constexpr bool single = !std::is_same_v<decltype(std::real(Value{})), double>;
  const auto stream = cuda_device().stream(reinterpret_cast<void*>(on.stream));
  const auto scale = [&](Value* first, const DeviceBox& box, double factor) {
    stream->scale_box(first, box, sizeof(Value), single, factor);
  };
  for (std::int64_t row = 0; row < on.count * on.components; ++row) {
    Value* values = on.values + row * on.box.volume();
    const std::int64_t band = on.first + row / on.components * on.step;
    for (std::int64_t z = 0; z < nz; ++z) {
      scale(values + z * nx * ny, {{nx * ny, 1, 1}, {1, 0, 0}},
            factor_of_plane(band, row % on.components, on.box.axis[2].low + z));
    }
    for (std::int64_t y = 0; y < ny; ++y) {
      scale(values + y * nx, {{nx, 1, nz}, {1, 0, nx * ny}}, factor_of_row(on.box.axis[1].low + y));
    }
  }
}

template <class Value>
class SphereVerbs {
 public:
  using Number = typename Bands<Value>::Number;
  SphereVerbs(const Bands<Value>& of, const FftOptions& options, const Use& use)
      : of_(of),
        use_(use),
        reproducible_(options.reproducible),
        on_device_(options.space == Space::cuda),
        result_(use.adds ? Result::adds : Result::replaces),
        fft_(of.plan(options)),
        points_(static_cast<std::size_t>(fft_.grid_box().volume())) {}

  void check() {
    transforms();
    if (of_.rows() > 0) callbacks();
    if (of_.rows() > 0) streams();
    for (const int fields : {1, 4}) {
      if (fields == 4 && (of_.components == 1 || of_.half)) continue;
      const bool converts = on_device_ && sizeof(Number) == sizeof(std::complex<float>);
      if (of_.rows() > 0 || !converts) potential(fields);  // without bands no call waits for the conversion
      density(fields);
    }
    boxes();
    if (on_device_) device_functions();
  }

 private:
  using Rows = CallersRows<Number>;
  Rows rows(const std::vector<Number>& values) const {
    return Rows(values, of_.mine.size(), of_.rows(), use_.longer_rows, use_.bands_there);
  }
  /// Results of started calls are in host memory, also where the input is in device memory.
  Rows results() const {
    return Rows(use_.adds ? of_.in : std::vector<Number>(of_.in.size(), Number(-99, 1)), of_.mine.size(), of_.rows(),
                use_.longer_rows, use_.bands_there && !use_.started);
  }
  void expect_results(const Rows& out, const std::vector<Number>& want) const {
    out.expect(use_.adds ? sum_of(want, of_.in) : want, 2 * of_.tolerance);
  }

  void transforms() {
    const auto want = of_.on_grid(fft_);
    for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with memory that has been used
      Rows in = rows(of_.in), out = rows(std::vector<Number>(of_.in.size(), Number(-99, 1)));
      CallersArray<Value> grid(std::vector<Value>(want.size(), Value(-77)), use_.values_there);
      if (use_.started) {
        finished(fft_.start_backward(in.rows(), grid.span(), of_.bands));
        finished(fft_.start_forward(grid.span(), out.rows(), of_.bands));
      } else {
        fft_.backward(in.rows(), grid.span(), of_.bands);
        fft_.forward(grid.span(), out.rows(), of_.bands);
      }
      expect_close<Value>(grid.values(), want, of_.tolerance);
      out.expect(of_.in, of_.tolerance);
      in.expect(of_.in, 0);
    }
  }

  /// Returns a value of a band times the factors of callbacks.
  Wide with_factors(std::int64_t band, std::int64_t component, std::size_t at) const {
    const auto row = static_cast<std::int64_t>(at) / of_.shape.nx;
    return of_.row(band, component)[at] * factor_of_plane(band, component, row / of_.shape.ny) *
           factor_of_row(row % of_.shape.ny);
  }

  /// A callback that sees the components of a band, multiplies them, and exchanges them.
  void callbacks() {
    Seen<Value> seen(of_);
    const std::int64_t last = of_.components - 1;
    const auto want = of_.coefficients_of(
        [&](std::int64_t band, std::int64_t c, std::size_t at) { return with_factors(band, last - c, at); });
    const auto together = [&](std::int64_t band, const Box& box, std::span<const View<Value>> components) {
      seen(band, box, components);
      if (last == 0) return;
      each_point(FieldArray{box, components[0].stride}, 0,
                 [&](const Point&, std::size_t at) { std::swap(components[0].data[at], components[1].data[at]); });
    };
    Rows in = rows(of_.in), out = results();
    if (use_.started) {
      finished(fft_.start_round_trip(in.rows(), out.rows(), of_.bands, together, result_));
    } else {
      fft_.round_trip(in.rows(), out.rows(), of_.bands, together, result_);
    }
    expect_results(out, want);
    seen.expect_all(fft_);
    if (last > 0) return;
    const auto alone = [&](std::int64_t band, const Box& box, const View<Value>& values) {
      seen(band, 0, box, values);
    };
    Rows other = results();
    if (use_.started) {
      finished(fft_.start_round_trip(in.rows(), other.rows(), of_.bands, alone, result_));
    } else {
      fft_.round_trip(in.rows(), other.rows(), of_.bands, alone, result_);
    }
    expect_results(other, want);
    seen.expect_all(fft_);
    fft_.to_grid(in.rows(), of_.bands, alone);
    seen.expect_all(fft_);
  }

  /// Bands are added in parts, from memory that is overwritten afterwards.
  void streams() {
    Seen<Value> at_once(of_), seen(of_);
    Rows in = rows(of_.in);
    const auto see = [](Seen<Value>& by) {
      return [&by](std::int64_t band, const Box& box, std::span<const View<Value>> all) { by(band, box, all); };
    };
    fft_.to_grid(in.rows(), of_.bands, see(at_once));
    at_once.expect_all(fft_);
    const auto add_all = [&](typename SphereFft<Value>::Stream stream) {
      const std::size_t of_band = of_.mine.size() * static_cast<std::size_t>(of_.components);
      std::int64_t next = 0;
      const std::int64_t groups = fft_.report().band_groups;  // first whole bundles
      for (const std::int64_t most : {groups, std::int64_t{0}, 4 * groups, of_.bands}) {
        const std::int64_t bands = std::min(most, of_.bands - next);
        const auto first = of_.in.begin() + next * static_cast<std::int64_t>(of_band);
        std::vector<Number> buffer(first, first + bands * static_cast<std::int64_t>(of_band));
        stream.add(buffer, bands);
        std::fill(buffer.begin(), buffer.end(), Number(1e9F, 1e9F));
        next += bands;
      }
      stream.finish();
      expect_error(Fault::bad_argument, "fft: this stream is finished", [&] { stream.add({}, 0); });
      seen.expect_all(fft_);
      if (reproducible_) expect_equal(seen.values(), at_once.values());
    };
    add_all(fft_.open_stream(see(seen)));
    if (of_.components > 1) return;
    add_all(
        fft_.open_stream([&](std::int64_t band, const Box& box, View<Value> values) { seen(band, 0, box, values); }));
  }

  /// Returns the values of fields in a box: [field][point].
  std::vector<double> in_box(const Box& box, const std::vector<std::vector<double>>& fields) const {
    const std::int64_t count = std::ssize(fields);
    return values_in<double>(consecutive(box), count, static_cast<std::size_t>(count * box.volume()), of_.shape,
                             [&](std::int64_t k, std::size_t at) { return fields[static_cast<std::size_t>(k)][at]; });
  }
  std::vector<std::vector<double>> random_fields(int count) const {
    std::vector<std::vector<double>> fields;
    for (int k = 0; k < count; ++k) fields.push_back(real_field(of_.shape, 90 + static_cast<unsigned>(k)));
    return fields;
  }

  void potential(int fields) {
    const auto v = random_fields(fields);
    const auto want = of_.coefficients_of([&](std::int64_t band, std::int64_t to, std::size_t at) {
      Wide sum = fields == 1 ? v[0][at] * of_.row(band, to)[at] : 0;
      for (std::size_t k = 0; k < 4 && fields == 4; ++k) {
        for (const std::int64_t from : {0, 1}) {
          sum += v[k][at] * pauli[k][static_cast<std::size_t>(2 * to + from)] * of_.row(band, from)[at];
        }
      }
      return sum;
    });
    CallersArray<double> potential(in_box(fft_.grid_box(), v), use_.values_there);
    Rows in = rows(of_.in), out = results(), same = rows(of_.in);
    if (use_.started) {
      finished(fft_.start_apply_potential(in.rows(), out.rows(), of_.bands, potential.span(), result_));
      finished(fft_.start_apply_potential(same.rows(), same.rows(), of_.bands, potential.span(), result_));
    } else {
      fft_.apply_potential(in.rows(), out.rows(), of_.bands, potential.span(), result_);
      fft_.apply_potential(same.rows(), same.rows(), of_.bands, potential.span(), result_);
    }
    expect_results(out, want);
    expect_results(same, want);
  }

  /// Bands without weight are not used, even if their coefficients are NaN.
  void density(int fields) {
    std::vector<Number> some = of_.in;
    const std::size_t of_band = of_.mine.size() * static_cast<std::size_t>(of_.components);
    for (std::int64_t b = 0; b < of_.bands; ++b) {
      if (weight_of(b) != 0) continue;
      std::fill_n(some.begin() + b * static_cast<std::int64_t>(of_band), of_band, Number(NAN, NAN));
    }
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(fields),
                                          std::vector<double>(of_.grid.empty() ? points_ : of_.grid[0].size(), 0.25));
    for (std::int64_t b = fft_.first_band_here(); b < of_.bands; b += fft_.report().band_groups) {
      for (std::size_t at = 0; at < sums[0].size(); ++at) {
        for (std::size_t k = 0; k < sums.size(); ++k) {
          for (std::int64_t e = 0; e < of_.components * of_.components; ++e) {
            const std::int64_t left = e / of_.components, right = e % of_.components;
            const Wide element = pauli[k][static_cast<std::size_t>(2 * left + right)];
            sums[k][at] += weight_of(b) * (std::conj(of_.row(b, left)[at]) * element * of_.row(b, right)[at]).real();
          }
        }
      }
    }
    Rows in = rows(some);
    CallersArray<double> rho(std::vector<double>(sums.size() * points_, 0.25), use_.values_there);
    if (use_.started) {
      finished(fft_.start_add_density(in.rows(), weights(of_.bands), of_.bands, rho.span()));
    } else {
      fft_.add_density(in.rows(), weights(of_.bands), of_.bands, rho.span());
    }
    fft_.add_density(in.rows(), std::vector<double>(static_cast<std::size_t>(of_.bands)), of_.bands, rho.span());
    if (of_.rows() > 0) expect_close<double>(rho.values(), in_box(fft_.grid_box(), sums), 40 * of_.tolerance);
  }

  /// Boxes of other shapes than in the plan: rows along y, where some ranks have none, and columns along x.
  void boxes() {
    const int owners = (ranks() + 1) / 2;
    Box rows_of_y = whole(of_.shape), columns = rows_of_y;
    rows_of_y.axis[1] = rank() < owners ? block(of_.shape.ny, owners, owners - 1 - rank()) : Range{};
    columns.axis[0] = block(of_.shape.nx, ranks(), rank());
    for (const Box& box : {rows_of_y, columns}) {
      spread_and_collect<double>(box);
      spread_and_collect<Complex>(box);
      std::vector<Value> values(of_.rows() * static_cast<std::size_t>(box.volume())), want;
      for (std::int64_t b = 0; b < of_.bands; ++b) {
        const auto one = of_.on_box(box, b);
        want.insert(want.end(), one.begin(), one.end());
      }
      Rows in = rows(of_.in), out = rows(std::vector<Number>(of_.in.size()));
      fft_.backward_to_boxes(in.rows(), box, values, of_.bands);
      expect_close<Value>(values, want, of_.tolerance);
      fft_.forward_from_boxes(box, values, out.rows(), of_.bands);
      out.expect(of_.in, of_.tolerance);
    }
  }

  template <class T>
  void spread_and_collect(const Box& box) {
    constexpr std::int64_t fields = std::is_same_v<T, double> ? 1 : 3;
    const auto v = random_fields(2 * fields);
    const auto in = [&](const Box& any) {
      return values_in<T>(consecutive(any), fields, static_cast<std::size_t>(fields * any.volume()), of_.shape,
                          [&](std::int64_t k, std::size_t at) {
                            const auto f = static_cast<std::size_t>(k);
                            return Wide(v[f][at], v[f + fields][at]);
                          });
    };
    const auto values = in(box);
    std::vector<T> here(fields * points_), sums(values.size(), T(0.5)), want = sums;
    fft_.spread(box, std::span<const T>(values), std::span<T>(here));
    expect_close<T>(here, in(fft_.grid_box()), 0);
    const int groups = fft_.report().band_groups;
    for (T& value : here)
      value *= static_cast<double>(fft_.first_band_here() + 1);  // another part of the sum per group
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += 0.5 * groups * (groups + 1) * values[i];
    fft_.collect(std::span<const T>(here), box, std::span<T>(sums));
    expect_close<T>(sums, want, 1e-13);
  }

  /// Callbacks that start kernels in the stream, for several bands at once.
  void device_functions() {
    std::vector<int> calls(static_cast<std::size_t>(of_.bands));
    std::int64_t most = 0;  // bands of one call
    const auto count = [&](const DeviceBands<Value>& on) {
      EXPECT_EQ(on.box, fft_.grid_box());
      EXPECT_EQ(on.components, of_.components);
      EXPECT_EQ(on.step, fft_.report().band_groups);
      for (std::int64_t i = 0; i < on.count; ++i) ++calls.at(static_cast<std::size_t>(on.first + i * on.step));
      most = std::max(most, on.count);
    };
    std::vector<int> each_band(calls.size());
    for (std::int64_t b = fft_.first_band_here(); b < of_.bands && points_ > 0; b += fft_.report().band_groups) {
      each_band[static_cast<std::size_t>(b)] = 1;
    }
    Rows in = rows(of_.in), out = results();
    const auto multiply = [&](const DeviceBands<Value>& on) {
      count(on);
      start_factors(on);
    };
    fft_.round_trip(in.rows(), out.rows(), of_.bands, multiply, result_);
    expect_equal(std::exchange(calls, std::vector<int>(calls.size())), each_band);
    EXPECT_GE(most, of_.bands > 3 * fft_.report().band_groups && points_ > 0 ? 2 : 0);
    expect_results(out, of_.coefficients_of(
                            [&](std::int64_t b, std::int64_t c, std::size_t at) { return with_factors(b, c, at); }));
    fft_.to_grid(in.rows(), of_.bands, [&](const DeviceBands<Value>& on) {
      count(on);
      const auto size = static_cast<std::size_t>(on.components * on.box.volume());
      for (std::int64_t i = 0; i < on.count; ++i) {
        const DeviceArray<Value> band(on.values + static_cast<std::size_t>(i) * size, size, on.stream);
        expect_close<Value>(band.values(), of_.on_box(on.box, on.first + i * on.step), of_.tolerance);
      }
    });
    expect_equal(calls, each_band);
  }

  const Bands<Value>& of_;
  Use use_;
  bool reproducible_, on_device_;
  Result result_;
  SphereFft<Value> fft_;
  std::size_t points_;
};

}  // namespace seiche::testing
