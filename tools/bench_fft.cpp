// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench fft`: one dense grid to its spectrum and back. The field is a sum of a few plane waves, so
/// every value of field and spectrum is known without any transform.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench_report.hpp"

namespace seiche::tools {

namespace {

using Complex = std::complex<double>;

/// f(r) = sum of amplitude exp(i G.r), or twice its real part, on a grid.
class KnownField {
 public:
  KnownField(const GridShape& shape, bool real) : n_{shape.nx, shape.ny, shape.nz}, real_(real) {
    for (std::size_t a = 0; a < 3; ++a) roots_[a] = roots_of_unity(n_[a]);
    waves_ = {{{0, 0, 0}, {0.5, 0.25}}, {{1, -2, 3}, {1, -0.5}}, {{-3, 1, 1}, {-0.75, 0.25}}, {{2, 5, -7}, {0.25, 1}}};
    if (real_) waves_.front().second = 0.5;
  }

  Complex at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Complex value = 0;
    for (const auto& [g, amplitude] : waves_)
      value += amplitude * root(0, g[0] * x) * root(1, g[1] * y) * root(2, g[2] * z);
    return real_ ? 2 * value.real() : value;
  }

  Complex coefficient(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Complex value = 0;
    for (const auto& [g, amplitude] : waves_) {
      if (same(x, g[0], 0) && same(y, g[1], 1) && same(z, g[2], 2)) value += amplitude;
      if (real_ && same(x, -g[0], 0) && same(y, -g[1], 1) && same(z, -g[2], 2)) value += std::conj(amplitude);
    }
    return value;
  }

 private:
  const Complex& root(std::size_t axis, std::int64_t k) const {
    return roots_[axis][static_cast<std::size_t>(modulo(k, n_[axis]))];
  }
  bool same(std::int64_t index, std::int64_t g, std::size_t axis) const { return index == modulo(g, n_[axis]); }

  std::array<std::int64_t, 3> n_;
  bool real_;
  std::array<std::vector<Complex>, 3> roots_;
  std::vector<std::pair<std::array<std::int64_t, 3>, Complex>> waves_;
};

/// `visit(x, y, z, value)` for each point of `box`, whose values `view` holds; x, y, z count in the whole grid.
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

template <class Value>
void fill(DenseFft<Value>& fft, Field<Value>& field, const KnownField& known) {
  for_each_point(fft.grid_box(), field.grid(), [&](auto x, auto y, auto z, Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      value = static_cast<Value>(known.at(x, y, z).real());
    } else {
      value = static_cast<Value>(known.at(x, y, z));
    }
  });
}

/// Largest deviation of this rank's spectrum, and of the field that comes back from it.
template <class Value>
double error_of(DenseFft<Value>& fft, Field<Value>& field, const KnownField& known) {
  double worst = 0;
  const auto compare = [&](const Complex& value, const Complex& expected) {
    const double deviation = std::abs(value - expected);
    if (!(deviation <= worst)) worst = deviation;  // true for NaN as well
  };
  fft.forward(field);
  for_each_point(fft.spectrum_box(), field.spectrum(), [&](auto x, auto y, auto z, const auto& value) {
    compare(Complex(value), known.coefficient(x, y, z));
  });
  fft.backward(field);
  for_each_point(fft.grid_box(), field.grid(),
                 [&](auto x, auto y, auto z, const Value& value) { compare(Complex(value), known.at(x, y, z)); });
  return worst;
}

template <class Value>
void run(const Session& session, const BenchRequest& request, const std::string& kind) {
  constexpr bool real = std::is_floating_point_v<Value>;
  const GridShape shape = request.shape();
  const KnownField known(shape, real);
  DenseFft<Value> fft(session.comm, shape, request.fft_options());
  auto field = fft.allocate();
  fill(fft, field, known);

  BenchResult result;
  result.name = fmt::format("fft {} {}x{}x{} {}", kind, shape.nx, shape.ny, shape.nz, request.precision);
  result.threads = request.threads;
  result.timing = time_repeats(session.comm, request.repeats, request.skew * 1e-6, [&] {
    fft.forward(field);
    fft.backward(field);
  });
  if (request.overlap_report) {
    DenseFft<Value> plain(session.comm, shape, request.blocking_options());
    auto own = plain.allocate();
    const auto runnable = [](DenseFft<Value>& plan, Field<Value>& values) {
      return Runnable{[&] {
                        plan.forward(values);
                        plan.backward(values);
                      },
                      [&](bool asleep) { plan.exchange_only(values, asleep); }, [&] { return plan.progress(); }};
    };
    result.overlap = measure_overlap(session.comm, request.repeats, 1, runnable(plain, own), runnable(fft, field));
  }
  const auto points = static_cast<double>(shape.volume());
  result.operations = 2 * (real ? 2.5 : 5.0) * points * std::log2(points);
  result.plan = fft.report();
  fill(fft, field, known);
  result.max_error = error_of(fft, field, known);
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

}  // namespace seiche::tools
