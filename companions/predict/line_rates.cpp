// SPDX-License-Identifier: BSD-3-Clause
#include "predict/line_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "exchange/form.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/line_sheets.hpp"
#include "support/aligned_memory.hpp"

namespace seiche::predict {

namespace {

using Complex = std::complex<double>;

/// Returns the CPU seconds of this thread, so that other processes on its core do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Returns the median time of `work`, repeated for `budget` seconds, at least three times. Work below the resolution of
/// the clock is repeated within one measurement.
template <class Work>
double seconds_of(double budget, const Work& work) {
  constexpr double long_enough = 2e-4;
  const auto timed = [&](int times) {
    const double start = now();
    for (int i = 0; i < times; ++i) work();
    return now() - start;
  };
  timed(1);
  int times = 1;
  while (timed(times) < long_enough) times *= 2;
  std::vector<double> all;
  for (const double end = now() + budget; all.size() < 3 || now() < end;) all.push_back(timed(times) / times);
  std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
  return all[all.size() / 2];
}

/// Planes of n points along x with a number of rows each, padded as in plans, with the 1D FFTs of a dense transform.
class Planes {
 public:
  Planes(LineLibrary library, std::int64_t n, std::int64_t rows, std::int64_t planes)
      : rows_(rows),
        planes_(planes),
        stride_(padded_strides({{Range{0, n}, {0, rows}, {0, planes}}}, sizeof(Complex))) {
    values_.resize(static_cast<std::size_t>(planes * stride_[2]));
    const auto sheet = [&](std::int64_t points, std::int64_t lines, std::int64_t along, std::int64_t next,
                           std::int64_t tile) {
      const Lines all{.kind = LineKind::forward, .n = points, .count = 1, .in = {}, .out = {}, .in_place = true};
      const SheetPlace place{along, 1, next};
      return LineSheet(library, all, lines, place, place, tile);
    };
    x_ = sheet(n, rows, 1, stride_[1], tile_of_lines(n, sizeof(Complex)));
    y_ = sheet(rows, n, stride_[1], 1, 32);
    z_ = sheet(planes, n, stride_[2], 1, 8);
  }

  void rows() { each_plane(x_); }
  void columns() { each_plane(y_); }
  /// Transforms through all planes, row after row.
  void far() {
    for (std::int64_t y = 0; y < rows_; ++y) {
      Complex* here = values_.data() + y * stride_[1];
      z_.run_ahead(here, here + stride_[1]);
    }
  }

 private:
  void each_plane(const LineSheet& lines) {
    for (std::int64_t p = 0; p < planes_; ++p) {
      Complex* plane = values_.data() + p * stride_[2];
      lines.run(plane, plane);
    }
  }

  std::int64_t rows_, planes_;
  std::array<std::int64_t, 3> stride_;
  aligned_vector<Complex> values_;  // zeros, which stay zeros: the time of 1D FFTs does not depend on the values
  LineSheet x_, y_, z_;
};

double operations(std::int64_t n, std::int64_t lines) {
  return 5.0 * static_cast<double>(n * lines) * std::log2(static_cast<double>(n));
}

}  // namespace

std::vector<std::int64_t> line_sizes(double budget) {
  if (budget < 0.05) return {16, 32, 64};
  return {16, 24, 32, 48, 64, 96, 125, 128, 180, 256};
}

LineRates measured_lines(std::int64_t n, int ranks, double budget) {
  const std::int64_t some = std::max<std::int64_t>(n / ranks, 1);
  const LineLibrary library = line_library();
  Planes plane(library, n, n, 1), slab(library, n, n, some), columns(library, n, some, n);
  LineRates rates{n};
  rates.cached_rows = operations(n, n) / seconds_of(budget / 4, [&] { plane.rows(); });
  rates.cached_columns = operations(n, n) / seconds_of(budget / 4, [&] { plane.columns(); });
  rates.rows = operations(n, n * some) / seconds_of(budget / 4, [&] { slab.rows(); });
  rates.columns = operations(n, n * some) / seconds_of(budget / 4, [&] { columns.far(); });
  return rates;
}

double cached_line_rate(LineLibrary library, std::int64_t n, double budget) {
  const std::int64_t lines = std::clamp<std::int64_t>(core_cache() / 2 / (16 * n), 8, 64);
  Planes of_rows(library, n, lines, 1), of_columns(library, lines, n, 1);
  const double seconds = std::min(seconds_of(budget / 2, [&] { of_rows.rows(); }),  //
                                  seconds_of(budget / 2, [&] { of_columns.columns(); }));
  return operations(n, lines) / seconds;
}

double measured_memory(double bytes, double budget) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  aligned_vector<std::byte> from(half), into(half);
  return static_cast<double>(2 * half) / seconds_of(budget, [&] {
           std::memcpy(into.data(), from.data(), half);
           std::swap(from, into);  // so that the compiler cannot remove the copies
         });
}

double measured_copy(double budget) {
  constexpr std::int64_t row = 40, pitch = 132, rows = 30'000;  // complex values: part of 64 MB
  constexpr std::int64_t message = 3'840;                       // of 60 kB
  aligned_vector<Complex> grid(pitch * rows), buffer(message);
  const Patch patch{0, {row, rows, 1}, {1, pitch, pitch * rows}};
  const Form form;
  const auto bytes = [](auto& values) { return reinterpret_cast<std::byte*>(values.data()); };
  const double seconds = seconds_of(budget, [&] {
    for (std::int64_t at = 0; at + message <= row * rows; at += message) {
      pack(bytes(grid), patch, {at, at + message}, bytes(buffer), form);
    }
  });
  return static_cast<double>(row * rows * 16) / seconds;
}

double measured_cached_copy(double budget) {
  constexpr std::int64_t values = 10'000, stick = 25;  // 160 kB in source and target
  aligned_vector<Complex> from(values), into(values);
  std::vector<std::int32_t> place;
  for (std::int64_t i = 0; i < values; ++i) {
    const std::int64_t which = i / stick * 7919 % (values / stick);  // sticks in another order
    place.push_back(static_cast<std::int32_t>(which * stick + i % stick));
  }
  const double seconds = seconds_of(budget, [&] {
    for (std::size_t i = 0; i < from.size(); ++i) into[static_cast<std::size_t>(place[i])] = from[i];
    std::swap(from, into);  // so that the compiler cannot remove the copies
  });
  return static_cast<double>(values * 16) / seconds;
}

double own_cache() { return static_cast<double>(core_cache()); }

}  // namespace seiche::predict
