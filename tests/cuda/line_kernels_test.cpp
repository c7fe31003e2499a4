// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFTs of strided arrays on a device, against sums by the definition. Elements between those of the FFTs must
/// not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "cuda/module.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"

namespace seiche::testing {
namespace {

using Transforms = DeviceTransforms;
using Axis = Transforms::Axis;
using Kind = Transforms::Kind;

bool from_real(const Transforms& all) { return all.kind == Kind::from_real; }
bool to_real(const Transforms& all) { return all.kind == Kind::to_real; }
std::int64_t half(const Transforms& all) { return all.points.count / 2 + 1; }

/// Calls visit(offset in the input, offset in the output) for each FFT.
template <class Visit>
void each_transform(const Transforms& all, const Visit& visit) {
  const auto& [a, b, c] = all.lines;
  for (std::int64_t i = 0; i < a.count; ++i) {
    for (std::int64_t j = 0; j < b.count; ++j) {
      for (std::int64_t k = 0; k < c.count; ++k) {
        visit(i * a.in + j * b.in + k * c.in, i * a.out + j * b.out + k * c.out);
      }
    }
  }
}

/// Calls visit(number, offset) for the points of an FFT at one end. `points`: of a line, of this end.
template <class Visit>
void each_point(const Transforms& all, std::int64_t points, std::int64_t Axis::*end, const Visit& visit) {
  for (std::int64_t j = 0; j < all.second.count; ++j) {
    for (std::int64_t i = 0; i < points; ++i) {
      visit(static_cast<std::size_t>(j * points + i), i * (all.points.*end) + j * (all.second.*end));
    }
  }
}

/// Returns the number of elements that an end needs.
std::int64_t extent(const Transforms& all, std::int64_t points, std::int64_t Axis::*end) {
  std::int64_t last = (points - 1) * (all.points.*end) + (all.second.count - 1) * (all.second.*end);
  for (const Axis& axis : all.lines) last += (axis.count - 1) * (axis.*end);
  return last + 1;
}

/// Arrays of both ends, as reals.
template <class Real>
struct Arrays {
  Arrays(const Transforms& all, std::int64_t offset_in, std::int64_t offset_out)
      : step_in(from_real(all) ? 1 : 2),
        step_out(to_real(all) ? 1 : 2),
        points_in(to_real(all) ? half(all) : all.points.count),
        points_out(from_real(all) ? half(all) : all.points.count),
        first_in(offset_in * step_in),
        first_out(offset_out * step_out),
        in(static_cast<std::size_t>(first_in + extent(all, points_in, &Axis::in) * step_in)),
        expected(static_cast<std::size_t>(first_out + extent(all, points_out, &Axis::out) * step_out), Real{-7}) {}

  void set(std::vector<Real>& values, std::int64_t at, std::int64_t step, const Wide& value) {
    values[static_cast<std::size_t>(at)] = static_cast<Real>(value.real());
    if (step == 2) values[static_cast<std::size_t>(at + 1)] = static_cast<Real>(value.imag());
  }
  std::int64_t step_in, step_out, points_in, points_out, first_in, first_out;  // steps: reals of an element
  std::vector<Real> in, expected;
};

/// Fills the input of an FFT with random values, and the expected output.
template <class Real>
void fill(Arrays<Real>& arrays, const Transforms& all, std::int64_t in, std::int64_t out, unsigned seed) {
  const GridShape shape{all.points.count, all.second.count, 1};
  auto values = random_values(shape.volume(), seed);
  const bool real = from_real(all) || to_real(all);
  for (Wide& value : values) value = real ? Wide(value.real()) : value;
  auto sums = fourier_sum(values, shape, all.kind == Kind::backward ? 1 : -1);
  if (to_real(all)) {  // from the spectrum of real values to the values, which are not scaled
    for (Wide& value : values) value *= static_cast<double>(shape.volume());
    std::swap(values, sums);
  }
  const auto place = [&](std::size_t number, std::int64_t points) {
    const auto row = static_cast<std::int64_t>(number) / points, i = static_cast<std::int64_t>(number) % points;
    return static_cast<std::size_t>(row * shape.nx + i);
  };
  each_point(all, arrays.points_in, &Axis::in, [&](std::size_t number, std::int64_t at) {
    arrays.set(arrays.in, arrays.first_in + (in + at) * arrays.step_in, arrays.step_in,
               values[place(number, arrays.points_in)]);
  });
  each_point(all, arrays.points_out, &Axis::out, [&](std::size_t number, std::int64_t at) {
    arrays.set(arrays.expected, arrays.first_out + (out + at) * arrays.step_out, arrays.step_out,
               sums[place(number, arrays.points_out)]);
  });
}

template <class Real>
void check(Transforms all, std::int64_t offset_in = 0, std::int64_t offset_out = 0) {
  all.single = sizeof(Real) == sizeof(float);
  const double tolerance = (all.single ? 1e-5 : 1e-13) * static_cast<double>(all.points.count * all.second.count);
  Arrays<Real> arrays(all, offset_in, offset_out);
  unsigned seed = 3;
  each_transform(all, [&](std::int64_t in, std::int64_t out) { fill(arrays, all, in, out, seed++); });
  const auto stream = device().stream(nullptr);
  const auto kernels = device().lines(all);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const DeviceArray<Real> in(*stream, arrays.in), out(*stream, std::vector<Real>(arrays.expected.size(), Real{-7}));
    kernels->run(*stream, in.data() + arrays.first_in, out.data() + arrays.first_out);
    expect_close<Real>(out.values(*stream), arrays.expected, tolerance);
  }
}

/// Checks transforms in the memory of the input, whose layout has the same bytes at both ends.
template <class Real>
void check_in_place(Transforms all) {
  all.single = sizeof(Real) == sizeof(float);
  const double tolerance = (all.single ? 1e-5 : 1e-13) * static_cast<double>(all.points.count * all.second.count);
  Arrays<Real> arrays(all, 0, 0);
  unsigned seed = 5;
  each_transform(all, [&](std::int64_t in, std::int64_t out) { fill(arrays, all, in, out, seed++); });
  const auto stream = device().stream(nullptr);
  std::vector<Real> values = arrays.in;
  values.resize(std::max(values.size(), arrays.expected.size()));
  const DeviceArray<Real> memory(*stream, values);
  device().lines(all)->run(*stream, memory.data(), memory.data());
  const std::vector<Real> got = memory.values(*stream);
  each_transform(all, [&](std::int64_t, std::int64_t out) {
    each_point(all, arrays.points_out, &Axis::out, [&](std::size_t, std::int64_t at) {
      for (std::int64_t r = 0; r < arrays.step_out; ++r) {
        const auto here = static_cast<std::size_t>((out + at) * arrays.step_out + r);
        EXPECT_LE(std::abs(got[here] - arrays.expected[here]), tolerance) << "at " << here;
        compared();
      }
    });
  });
}

template <class... Offsets>
void check_both(const Transforms& all, Offsets... offsets) {
  for (const Transforms& one : {all, reversed(all)}) {
    check<double>(one, offsets...);
    check<float>(one, offsets...);
  }
}

/// Strides that plans of cuFFT describe: one call, few calls, and two axes.
TEST(LineKernels, TransformFewDirections) {
  check_both({.points = {7, 1, 1}, .lines = {Axis{5, 7, 9}}});
  check_both({.points = {8, 5, 3}, .lines = {Axis{5, 1, 24}, Axis{3, 40, 1}}});
  check_both({.points = {13, 6, 2}, .lines = {Axis{2, 3, 1}, Axis{3, 1, 60}, Axis{4, 80, 200}}});
  check_both({.points = {1, 1, 1}, .lines = {Axis{4, 2, 1}}});
  check_both({.points = {6, 1, 2}, .second = {5, 7, 14}, .lines = {Axis{4, 35, 71}, Axis{2, 140, 1}}});
  check_both({.points = {4, 1, 1}});
}

TEST(LineKernels, TransformRealLines) {
  check_both({.kind = Kind::from_real, .points = {7, 1, 1}, .lines = {Axis{5, 7, 4}}});
  check_both({.kind = Kind::from_real, .points = {8, 3, 3}, .lines = {Axis{3, 1, 1}, Axis{4, 24, 15}}});
  check_both({.kind = Kind::from_real, .points = {6, 1, 1}, .second = {5, 7, 4}, .lines = {Axis{3, 36, 21}}});
  check_both(
      {.kind = Kind::from_real, .points = {5, 2, 1}, .second = {4, 10, 3}, .lines = {Axis{2, 1, 12}, Axis{3, 41, 24}}});
  check_both({.kind = Kind::from_real, .points = {1, 1, 1}, .second = {2, 1, 1}, .lines = {Axis{2, 2, 2}}});
}

/// Many calls, rows whose distance is no multiple of the distance of points, and points that are farther apart than
/// rows.
TEST(LineKernels, CopyOtherStrides) {
  check_both({.points = {6, 11, 13}, .lines = {Axis{11, 1, 1}, Axis{12, 67, 79}}});
  check_both({.points = {5, 2, 1}, .second = {3, 11, 5}, .lines = {Axis{9, 34, 15}}});
  check_both({.points = {4, 3, 1}, .second = {3, 1, 4}, .lines = {Axis{2, 13, 12}}});
  check_both({.kind = Kind::from_real, .points = {6, 1, 3}, .second = {3, 6, 1}, .lines = {Axis{2, 18, 12}}});
  check_both({.kind = Kind::from_real, .points = {5, 11, 12}, .lines = {Axis{10, 1, 1}, Axis{9, 59, 40}}});
}

/// Reals begin at odd places, or odd distances apart in the calls.
TEST(LineKernels, TransformUnalignedReals) {
  const Transforms rows{.kind = Kind::from_real, .points = {7, 1, 1}, .lines = {Axis{5, 7, 4}}};
  const Transforms planes{
      .kind = Kind::from_real, .points = {6, 1, 1}, .second = {5, 7, 4}, .lines = {Axis{3, 35, 21}}};
  for (const Transforms& all : {rows, planes}) {
    check<double>(all, 1, 0);
    check<float>(all, 1, 2);
    check<double>(reversed(all), 0, 3);
    check<float>(reversed(all), 1, 1);
  }
  check_both({.kind = Kind::from_real, .points = {4, 1, 1}, .lines = {Axis{3, 5, 3}, Axis{2, 31, 20}}});
}

TEST(LineKernels, TransformInPlace) {
  const Transforms complex{.points = {6, 1, 1}, .second = {5, 7, 7}, .lines = {Axis{3, 36, 36}}};
  const Transforms real{.kind = Kind::from_real, .points = {7, 1, 1}, .second = {5, 10, 5}, .lines = {Axis{3, 50, 25}}};
  const Transforms many{.points = {5, 10, 10}, .lines = {Axis{10, 1, 1}, Axis{9, 51, 51}}};
  for (const Transforms& all : {complex, real, many, reversed(complex), reversed(real)}) {
    check_in_place<double>(all);
    check_in_place<float>(all);
  }
}

TEST(LineKernels, NeedCufft) {
  if (!emulated_device()) GTEST_SKIP() << "only the emulated cuFFT can be missing";
  const Transforms all{.points = {7, 1, 1}};
  setenv("SEICHE_EMULATED_NO_CUFFT", "1", 1);
  expect_error(Fault::unsupported, "these transforms need the library cuFFT: SEICHE_EMULATED_NO_CUFFT is set: install",
               [&] { device().lines(all); });
  unsetenv("SEICHE_EMULATED_NO_CUFFT");
  check<double>(all);
}

TEST(DeviceStream, ScalesBoxes) {
  const auto stream = device().stream(nullptr);
  const auto check_scale = [&]<class Real>(Real) {
    std::vector<Real> values;
    for (int i = 0; i < 600; ++i) values.push_back(static_cast<Real>(i) - 300);
    const DeviceArray<Real> array(*stream, values);
    stream->scale_box(array.data() + 6, {{5, 3, 7}, {1, 11, 40}}, 2 * sizeof(Real), sizeof(Real) == 4, 0.25);
    stream->scale_box(array.data(), {{5, 0, 7}, {1, 11, 40}}, 2 * sizeof(Real), sizeof(Real) == 4, 0.25);
    for (std::size_t k = 0; k < 7; ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 10; ++i) values[6 + i + 2 * (11 * j + 40 * k)] /= 4;
      }
    }
    expect_equal(array.values(*stream), values);
  };
  check_scale(double{});
  check_scale(float{});
}

}  // namespace
}  // namespace seiche::testing
