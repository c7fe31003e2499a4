// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the kernels of operators: derivatives along lattice vectors, relations between kernels, and potentials
/// of Gaussian charges in closed form.
#include <cmath>
#include <functional>
#include <numbers>

#include "fft/dense_case.hpp"
#include "seiche/grid_operator.hpp"

namespace seiche::testing {
namespace {

constexpr double pi = std::numbers::pi;
using Vector = std::array<double, 3>;
using Lattice = GridOperator<double>::Lattice;
const Lattice oblique{{{3.1, 0.2, -0.4}, {0.7, 2.6, 0.3}, {-0.5, 0.9, 4.2}}};

/// An operator and the fields of its plan.
template <class Value>
class On {
 public:
  On(const GridShape& shape, const Lattice& lattice, FftOptions options = {})
      : shape_(shape), lattice_(lattice), fft_(MPI_COMM_WORLD, shape, options) {}
  /// Returns values of f(point in units of the lattice vectors) on this rank.
  template <class Function>
  std::vector<Value> field(const Function& f) const {
    std::vector<Value> values(static_cast<std::size_t>(fft_.grid_box().volume()));
    each_point(consecutive(fft_.grid_box()), 0, [&](const Point& p, std::size_t at) {
      const auto part = [](std::int64_t i, std::int64_t n) { return static_cast<double>(i) / static_cast<double>(n); };
      values[at] = static_cast<Value>(f(Vector{part(p[0], shape_.nx), part(p[1], shape_.ny), part(p[2], shape_.nz)}));
    });
    return values;
  }
  std::vector<Value> apply(OperatorKernel kernel, const std::vector<Value>& fields, double parameter = 0) {
    GridOperator<Value> op(fft_, lattice_, kernel, parameter);
    const std::int64_t points = fft_.grid_box().volume();
    EXPECT_EQ(std::ssize(fields), op.inputs() * points);
    std::vector<Value> result(static_cast<std::size_t>(op.outputs() * points));
    op.apply(fields, result);
    return result;
  }
  /// Returns the sum of fields times numbers.
  static std::vector<Value> sum(std::initializer_list<std::pair<double, std::vector<Value>>> terms) {
    std::vector<Value> all(terms.begin()->second.size());
    for (const auto& [number, values] : terms) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += static_cast<Value>(number) * values[i];
    }
    return all;
  }
  std::vector<Value> random(unsigned seed) const {
    const auto values = random_values(shape_.volume(), seed);
    std::vector<Value> mine(static_cast<std::size_t>(fft_.grid_box().volume()));
    each_point(consecutive(fft_.grid_box()), 0,
               [&](const Point& p, std::size_t at) { mine[at] = as_value<Value>(values[index_in(shape_, p)]); });
    return mine;
  }

 private:
  GridShape shape_;
  Lattice lattice_;
  DenseFft<Value> fft_;
};

Vector cartesian(const Lattice& lattice, const Vector& at) {
  Vector r{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t c = 0; c < 3; ++c) r[c] += at[a] * lattice[a][c];
  }
  return r;
}

/// The derivative of exp(i G.r) along a lattice vector is 2 pi i times the index.
TEST(Kernels, GradientsAreDerivativesAlongLatticeVectors) {
  On<Wide> on({7, 6, 9}, oblique);
  for (const auto& index : std::vector<std::array<int, 3>>{{0, 0, 0}, {3, 0, 0}, {-3, 2, 4}, {1, -2, -4}}) {
    const auto wave = on.field([&](const Vector& at) {
      return std::polar(1.0, 2 * pi * (index[0] * at[0] + index[1] * at[1] + index[2] * at[2]));
    });
    const auto gradient = on.apply(OperatorKernel::gradient, wave);
    for (std::size_t a = 0; a < 3; ++a) {
      std::vector<Wide> along(wave.size()), want = wave;
      for (std::size_t i = 0; i < wave.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) along[i] += oblique[a][c] * gradient[c * wave.size() + i];
        want[i] *= Wide(0, 2 * pi * index[a]);
      }
      expect_close<Wide>(along, want, 1e-12);
    }
  }
}

/// Without waves of index n/2, the divergence of the gradient is the Laplacian, and the Coulomb potential its inverse.
TEST(Kernels, AgreeWithEachOther) {
  for (const auto decomposition : all_decompositions) {
    On<double> on({7, 5, 9}, oblique, {.decomposition = decomposition});
    const auto f = on.random(3);
    const auto ones = on.field([](const Vector&) { return 1.0; });
    const auto laplacian = on.apply(OperatorKernel::laplacian, f);
    expect_close<double>(on.apply(OperatorKernel::divergence, on.apply(OperatorKernel::gradient, f)), laplacian, 1e-11);
    const auto potential = on.apply(OperatorKernel::coulomb, f);
    const auto back = on.apply(OperatorKernel::laplacian, potential);
    const auto neutral = on.apply(OperatorKernel::coulomb, laplacian);  // -4 pi (f - mean)
    expect_close<double>(on.sum({{-1 / (4 * pi), back}}), on.sum({{-1 / (4 * pi), neutral}}), 1e-12);
    const double p = 0.8;
    const auto screened = on.apply(OperatorKernel::screened, f, p);
    expect_close<double>(on.sum({{p * p, screened}, {-1.0, on.apply(OperatorKernel::laplacian, screened)}}),
                         on.sum({{4 * pi, f}}), 1e-11);
    // The mean of f has the short-range potential pi/p^2 and no Coulomb potential.
    const auto mean = on.sum({{1.0, f}, {1 / (4 * pi), neutral}});
    expect_close<double>(
        on.sum({{1.0, on.apply(OperatorKernel::short_range, f, p)}, {1.0, on.apply(OperatorKernel::long_range, f, p)}}),
        on.sum({{1.0, potential}, {pi / (p * p), mean}}), 1e-12);
    expect_close<double>(on.apply(OperatorKernel::coulomb, ones), on.sum({{0.0, ones}}), 1e-13);
  }
}

/// Derivatives of real functions with waves of index n/2 are those of complex functions, and real.
TEST(Kernels, WavesOfHalfTheGridAreReal) {
  const GridShape shape{6, 4, 8};
  On<double> real(shape, oblique);
  On<Wide> complex(shape, oblique);
  for (const auto kernel : {OperatorKernel::gradient, OperatorKernel::laplacian, OperatorKernel::coulomb}) {
    const auto found = real.apply(kernel, real.random(5));
    auto field = complex.random(5);
    for (Wide& value : field) value = value.real();
    const auto want = complex.apply(kernel, field);
    if (ranks() == 1) {  // otherwise both plans may have other boxes
      expect_close<Wide>(std::vector<Wide>(found.begin(), found.end()), want, 1e-12);
    }
    for (const Wide& value : want) EXPECT_LT(std::abs(value.imag()), 1e-11);
  }
  // cos of index n/2 along x: the first derivative is 0 at all points, and the second -G^2.
  const auto wave = real.field([](const Vector& at) { return std::cos(2 * pi * 3 * at[0]); });
  for (const double value : real.apply(OperatorKernel::gradient, wave)) EXPECT_LT(std::abs(value), 1e-13);
  Vector cross{};
  for (std::size_t c = 0; c < 3; ++c) {
    cross[c] = oblique[1][(c + 1) % 3] * oblique[2][(c + 2) % 3] - oblique[1][(c + 2) % 3] * oblique[2][(c + 1) % 3];
  }
  const double volume = oblique[0][0] * cross[0] + oblique[0][1] * cross[1] + oblique[0][2] * cross[2];
  const double height = volume / std::hypot(cross[0], cross[1], cross[2]), g = 2 * pi * 3 / height;
  expect_close<double>(real.apply(OperatorKernel::laplacian, wave), real.sum({{-g * g, wave}}), 1e-12);
}

/// The potential of an isolated Gaussian charge is erf(r / sqrt(2) s) / r, up to the distance of half of the cell.
TEST(Kernels, IsolatedGaussian) {
  const Lattice cell{{{11, 0, 0}, {0, 12, 0}, {0, 1, 11.5}}};
  const double s = 0.55;
  On<double> on({36, 36, 36}, cell);
  const auto distance = [&](const Vector& at) {
    const Vector r = cartesian(cell, {at[0] - 0.5, at[1] - 0.5, at[2] - 0.5});
    return std::hypot(r[0], r[1], r[2]);
  };
  const auto density = on.field([&](const Vector& at) {
    const double r = distance(at) / s;
    return std::exp(-r * r / 2) / std::pow(2 * pi * s * s, 1.5);
  });
  // Points whose distance from the charge and its tail is less than half of the smallest height.
  const auto near = on.field([&](const Vector& at) { return distance(at) < 2.0 ? 1.0 : 0.0; });
  const auto potential = on.apply(OperatorKernel::isolated, density);
  const auto want = on.field([&](const Vector& at) {
    const double r = distance(at);
    return r < 1e-9 ? std::sqrt(2 / pi) / s : std::erf(r / (std::sqrt(2.0) * s)) / r;
  });
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (near[i] > 0) {
      EXPECT_NEAR(potential[i], want[i], 1e-8);
      compared();
    }
  }
}

/// The potential of a layer with a Gaussian profile: -2 pi times the mean of |z - z'|, and for a wave in the plane
/// 2 pi / G times that of exp(-G |z - z'|).
TEST(Kernels, SlabWithAGaussianProfile) {
  const Lattice cell{{{3, 0, 0}, {1, 4, 0}, {0, 0, 14}}};
  const double s = 0.6, g = 2 * pi / 3 * std::sqrt(1.0 + 1.0 / 16);  // |b1|
  On<double> on({8, 6, 90}, cell);
  const auto height = [](const Vector& at) { return (at[2] - 0.5) * 14; };
  const auto profile = [&](double z) { return std::exp(-z * z / (2 * s * s)) / std::sqrt(2 * pi * s * s); };
  const auto phase = [](const Vector& at) { return std::cos(2 * pi * at[0]); };
  const auto density = on.field([&](const Vector& at) { return profile(height(at)) * (1 + phase(at)); });
  const auto folded = [&](double z, const std::function<double(double)>& of) {
    double sum = 0;
    constexpr int steps = 4000;
    for (int i = 0; i < steps; ++i) {  // the trapezoidal rule, with a kink at 0: both sides separately
      const double u = (i + 0.5) * 8.0 / steps;
      sum += (profile(z - u) + profile(z + u)) * of(u) * 8.0 / steps;
    }
    return sum;
  };
  const auto want = on.field([&](const Vector& at) {
    const double z = height(at);
    return folded(z, [](double u) { return -2 * pi * u; }) +
           phase(at) * folded(z, [&](double u) { return 2 * pi / g * std::exp(-g * u); });
  });
  const auto near = on.field([&](const Vector& at) { return std::abs(height(at)) < 2.5 ? 1.0 : 0.0; });
  for (const double distance : {0.0, 6.0}) {  // 0: 7
    const auto potential = on.apply(OperatorKernel::slab, density, distance);
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (near[i] > 0) {
        EXPECT_NEAR(potential[i], want[i], 2e-5);
        compared();
      }
    }
  }
}

}  // namespace
}  // namespace seiche::testing
