// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench fft`: transforms one dense grid to its spectrum and back. The field is a sum of a few plane
/// waves, so that all values of field and spectrum are known without a transform.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bench_bound.hpp"
#include "fft/exchange_only.hpp"
#include "predict/line_rates.hpp"
#include "seiche/device_memory.hpp"
#include "threads_option.hpp"

namespace seiche::command {

namespace {

using Complex = std::complex<double>;

/// f(r) = sum of amplitude exp(i G.r), or twice its real part, on a grid.
class KnownField {
 public:
  KnownField(const GridShape& shape, bool real) : real_(real) {
    const std::vector<std::pair<Point, Complex>> waves{{{0, 0, 0}, {0.5, real ? 0.0 : 0.25}},
                                                       {{1, -2, 3}, {1, -0.5}},
                                                       {{-3, 1, 1}, {-0.75, 0.25}},
                                                       {{2, 5, -7}, {0.25, 1}}};
    const Point n{shape.nx, shape.ny, shape.nz};
    for (const auto& [g, amplitude] : waves) {
      waves_.push_back({amplitude, {phases(n[0], g[0]), phases(n[1], g[1]), phases(n[2], g[2])}});
      spectrum_.emplace_back(Point{modulo(g[0], n[0]), modulo(g[1], n[1]), modulo(g[2], n[2])}, amplitude);
      if (!real) continue;
      spectrum_.emplace_back(Point{modulo(-g[0], n[0]), modulo(-g[1], n[1]), modulo(-g[2], n[2])},
                             std::conj(amplitude));
    }
  }

  Complex at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Complex value = 0;
    for (const auto& [amplitude, phase] : waves_) {
      value += amplitude * phase[2][static_cast<std::size_t>(z)] * phase[1][static_cast<std::size_t>(y)] *
               phase[0][static_cast<std::size_t>(x)];
    }
    return real_ ? 2 * value.real() : value;
  }

  Complex coefficient(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Complex value = 0;
    for (const auto& [g, amplitude] : spectrum_) {
      if (g[0] == x && g[1] == y && g[2] == z) value += amplitude;
    }
    return value;
  }

 private:
  using Point = std::array<std::int64_t, 3>;
  struct Wave {
    Complex amplitude;
    std::array<std::vector<Complex>, 3> phase;  // at each point of an axis
  };

  /// Returns exp(2 pi i g x / n) for all x.
  static std::vector<Complex> phases(std::int64_t n, std::int64_t g) {
    const auto roots = roots_of_unity(n);
    std::vector<Complex> result;
    for (std::int64_t x = 0; x < n; ++x) result.push_back(roots[static_cast<std::size_t>(modulo(g * x, n))]);
    return result;
  }

  bool real_;
  std::vector<Wave> waves_;
  std::vector<std::pair<Point, Complex>> spectrum_;  // indices of the nonzero values
};

/// Calls `visit(x, y, z, value)` for each point of `box`, whose values are in `view`. x, y, z are indices in the whole
/// grid.
template <class T, class Visit>
void for_each_point(const Box& box, const View<T>& view, Visit&& visit) {
  for (std::int64_t z = 0; z < view.shape[2]; ++z) {
    for (std::int64_t y = 0; y < view.shape[1]; ++y) {
      for (std::int64_t x = 0; x < view.shape[0]; ++x) {
        visit(box.axis[0].low + x, box.axis[1].low + y, box.axis[2].low + z, view(x, y, z));
      }
    }
  }
}

/// The values of this rank: a field, or arrays in device memory.
template <class Value>
class Values {
 public:
  using Plan = DenseFft<Value>;
  using Spectrum = typename Plan::Complex;

  Values(Plan& plan, const KnownField& known, bool on_device) : plan_(plan), known_(known) {
    if (on_device) {
      device_.emplace(plan);
    } else {
      field_.emplace(plan.allocate());
    }
    fill();
  }

  /// Writes the known field.
  void fill() {
    if (!device_) return fill(field_->grid());
    std::vector<Value> grid(device_->grid.span().size());
    fill(dense_view(grid.data(), plan_.grid_box()));
    device_->grid = DeviceArray<Value>(std::span<const Value>(grid));
  }
  void forward() { device_ ? plan_.forward(device_->grid.span(), device_->spectrum.span()) : plan_.forward(*field_); }
  void backward() {
    device_ ? plan_.backward(device_->spectrum.span(), device_->grid.span()) : plan_.backward(*field_);
  }
  Runnable runnable() {
    return {[this] {
              forward();
              backward();
            },
            [this](bool asleep) { exchange_only(asleep); }, [this] { return plan_.progress(); }};
  }

  /// Transforms the known field. Returns the largest deviation of the spectrum and of the field transformed back.
  double error() {
    double worst = 0;
    fill();
    forward();
    if (device_) {
      auto spectrum = device_->spectrum.values();
      compare_spectrum(dense_view(spectrum.data(), plan_.spectrum_box()), worst);
    } else {
      compare_spectrum(field_->spectrum(), worst);
    }
    backward();
    if (device_) {
      auto grid = device_->grid.values();
      compare_grid(dense_view(grid.data(), plan_.grid_box()), worst);
    } else {
      compare_grid(field_->grid(), worst);
    }
    return std::sqrt(worst);
  }

 private:
  struct OnDevice {
    explicit OnDevice(const Plan& plan)
        : grid(static_cast<std::size_t>(plan.grid_box().volume())),
          spectrum(static_cast<std::size_t>(plan.spectrum_box().volume())) {}
    DeviceArray<Value> grid;
    DeviceArray<Spectrum> spectrum;
  };

  void fill(const View<Value>& grid) const {
    for_each_point(plan_.grid_box(), grid, [&](auto x, auto y, auto z, Value& value) {
      if constexpr (std::is_floating_point_v<Value>) {
        value = static_cast<Value>(known_.at(x, y, z).real());
      } else {
        value = static_cast<Value>(known_.at(x, y, z));
      }
    });
  }
  static void compare(const Complex& value, const Complex& expected, double& worst) {
    const double deviation = std::norm(value - expected);
    if (!(deviation <= worst)) worst = deviation;  // also true for NaN
  }
  void compare_spectrum(const View<Spectrum>& spectrum, double& worst) const {
    for_each_point(plan_.spectrum_box(), spectrum, [&](auto x, auto y, auto z, const Spectrum& value) {
      compare(Complex(value), known_.coefficient(x, y, z), worst);
    });
  }
  void compare_grid(const View<Value>& grid, double& worst) const {
    for_each_point(plan_.grid_box(), grid, [&](auto x, auto y, auto z, const Value& value) {
      compare(Complex(value), known_.at(x, y, z), worst);
    });
  }
  void exchange_only(bool asleep) {
    if (!field_) field_.emplace(plan_.allocate());
    seiche::exchange_only(plan_, *field_, asleep);
  }

  Plan& plan_;
  const KnownField& known_;
  std::optional<Field<Value>> field_;
  std::optional<OnDevice> device_;
};

template <class Value>
void run(const Session& session, const BenchRequest& request, const std::string& kind) {
  constexpr bool real = std::is_floating_point_v<Value>;
  const GridShape shape = request.shape();
  const KnownField known(shape, real);
  if (request.of_bound) require_bound(request);
  warn_of_threads(session, request.threads);
  DenseFft<Value> fft(session.comm, shape, request.fft_options());
  Values<Value> values(fft, known, request.on_device());

  BenchResult result;
  result.name = fmt::format("fft {} {}x{}x{} {}{}", kind, shape.nx, shape.ny, shape.nz, request.precision,
                            request.on_device() ? " cuda" : "");
  result.threads = request.threads;
  const Runnable own = values.runnable();
  result.timing = time_repeats(session.comm, request.repeats, request.skew * 1e-6, own.all);
  if (request.overlap_report) {
    DenseFft<Value> blocking(session.comm, shape, request.blocking_options());
    Values<Value> others(blocking, known, request.on_device());
    result.overlap = measure_overlap(session.comm, request.repeats, 1, others.runnable(), own);
  }
  const auto points = static_cast<double>(shape.volume());
  result.operations = 2 * (real ? 2.5 : 5.0) * points * std::log2(points);
  result.plan = fft.report();
  result.more["messages"] = result.plan.messages;
  result.max_error = values.error();
  if (request.of_bound) {
    const auto bytes = predict::least_bytes_of_pair(fft.spectrum_box().volume(), predict::own_cache());
    const auto on = [&](const predict::Where& where) {
      return predict::work_of_pair(shape, real, where, request.fft_options());
    };
    result.least = measured_bound(session, {on, 1, bytes}, request.fft_options().library);
  }
  print(session, result);
}

}  // namespace

void bench_fft(const Session& session, const BenchRequest& request, const std::string& kind) {
  const bool real = kind == "r2c", single = request.precision == "float";
  if (real && single) return run<float>(session, request, kind);
  if (real) return run<double>(session, request, kind);
  if (single) return run<std::complex<float>>(session, request, kind);
  run<std::complex<double>>(session, request, kind);
}

}  // namespace seiche::command
