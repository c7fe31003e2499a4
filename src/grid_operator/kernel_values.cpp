// SPDX-License-Identifier: BSD-3-Clause
#include "grid_operator/kernel_values.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double pi = std::numbers::pi;
using Vector = KernelValues::Vector;
using Lattice = KernelValues::Lattice;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// Returns b1, b2, b3 with a_i . b_j = 2 pi delta_ij.
Lattice reciprocal_of(const Lattice& a) {
  const double volume = dot(a[0], cross(a[1], a[2]));
  const double least = 1e-10 * length(a[0]) * length(a[1]) * length(a[2]);
  require(std::isfinite(volume) && std::abs(volume) > least, Fault::bad_argument,
          "grid_operator: the lattice vectors must be linearly independent (their volume is {})", volume);
  Lattice b;
  for (std::size_t i = 0; i < 3; ++i) {
    b[i] = cross(a[(i + 1) % 3], a[(i + 2) % 3]);
    for (double& component : b[i]) component *= 2 * pi / volume;
  }
  return b;
}

/// Returns half of the smallest height of the cell.
double half_of_height(const Lattice& reciprocal) {
  return pi / std::max({length(reciprocal[0]), length(reciprocal[1]), length(reciprocal[2])});
}

void require_perpendicular(const Lattice& a) {
  for (const Vector& in_plane : {a[0], a[1]}) {
    const double cosine = dot(in_plane, a[2]) / (length(in_plane) * length(a[2]));
    require(
        std::abs(cosine) < 1e-8, Fault::bad_argument,
        "grid_operator: for a slab, the third lattice vector must be perpendicular to both others (the cosine of an "
        "angle is {})",
        cosine);
  }
}

/// Returns (1 - cos x) / x^2, also for small x.
double versine_ratio(double x) {
  const double half = std::sin(x / 2);
  return std::abs(x) < 1e-8 ? 0.5 : 2 * half * half / (x * x);
}

}  // namespace

KernelValues::KernelValues(const Lattice& lattice, OperatorKernel kernel, double parameter)
    : kernel_(kernel), parameter_(parameter), reciprocal_(reciprocal_of(lattice)) {
  require(kernel_ >= OperatorKernel::coulomb && kernel_ <= OperatorKernel::laplacian, Fault::bad_argument,
          "grid_operator: there is no kernel {}", static_cast<int>(kernel_));
  const double height = length(lattice[2]);
  for (std::size_t c = 0; c < 3; ++c) normal_[c] = lattice[2][c] / height;
  if (kernel_ == OperatorKernel::isolated && parameter_ == 0) parameter_ = half_of_height(reciprocal_);
  if (kernel_ == OperatorKernel::slab) {
    require_perpendicular(lattice);
    if (parameter_ == 0) parameter_ = height / 2;
  }
  const bool needed = kernel_ >= OperatorKernel::screened && kernel_ <= OperatorKernel::slab;
  require(!needed || (std::isfinite(parameter_) && parameter_ > 0), Fault::bad_argument,
          "grid_operator: the parameter of this kernel must be positive (got {})", parameter_);
}

Vector KernelValues::wave(const std::array<std::int64_t, 3>& index) const {
  Vector g{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t c = 0; c < 3; ++c) g[c] += static_cast<double>(index[a]) * reciprocal_[a][c];
  }
  return g;
}

/// Rozzi et al., equation 21. Its limits for G parallel to the normal are those of a neutral plane.
double KernelValues::coulomb_of_slab(const Vector& g) const {
  const double along = dot(g, normal_), g2 = dot(g, g), x = along * parameter_;
  const double in_plane = std::sqrt(std::max(g2 - along * along, 0.0));
  if (in_plane > 1e-12 * std::sqrt(g2)) {
    const double decay = std::exp(-in_plane * parameter_);
    return 4 * pi / g2 * (1 + decay * (along / in_plane * std::sin(x) - std::cos(x)));
  }
  if (along == 0) return -2 * pi * parameter_ * parameter_;
  return 4 * pi / g2 * (1 - std::cos(x) - x * std::sin(x));
}

/// `component`: number of the input or output with several.
std::complex<double> KernelValues::at(const Vector& g, std::int64_t component) const {
  const double g2 = dot(g, g), p = parameter_;
  switch (kernel_) {
    case OperatorKernel::coulomb:
      return g2 > 0 ? 4 * pi / g2 : 0;
    case OperatorKernel::screened:
      return 4 * pi / (g2 + p * p);
    case OperatorKernel::short_range:
      return g2 > 0 ? -4 * pi * std::expm1(-g2 / (4 * p * p)) / g2 : pi / (p * p);
    case OperatorKernel::long_range:
      return g2 > 0 ? 4 * pi * std::exp(-g2 / (4 * p * p)) / g2 : 0;
    case OperatorKernel::isolated:
      return 4 * pi * p * p * versine_ratio(std::sqrt(g2) * p);
    case OperatorKernel::slab:
      return coulomb_of_slab(g);
    case OperatorKernel::gradient:
    case OperatorKernel::divergence:
      return {0, g[static_cast<std::size_t>(component)]};
    case OperatorKernel::laplacian:
      return -g2;
  }
  return 0;
}

template <class Complex>
std::vector<Complex> KernelValues::on(const Box& box, const GridShape& shape) const {
  using Real = typename Complex::value_type;
  const std::array<std::int64_t, 3> n{shape.nx, shape.ny, shape.nz};
  const std::int64_t components = std::max(inputs(), outputs());
  std::vector<Complex> values;
  values.reserve(static_cast<std::size_t>(components * box.volume()));
  // An index n/2 is both n/2 and -n/2.
  const auto indices = [&](std::size_t axis, std::int64_t i) {
    const std::int64_t folded = 2 * i < n[axis] ? i : i - n[axis];
    return std::array{folded, 2 * i == n[axis] ? i : folded};
  };
  const auto mean = [&](std::int64_t component, const auto& x, const auto& y, const auto& z) {
    std::complex<double> sum = 0;
    for (const int corner : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const auto side = [corner](int axis) { return static_cast<std::size_t>(corner >> axis & 1); };
      sum += at(wave({x[side(0)], y[side(1)], z[side(2)]}), component);
    }
    return sum / 8.0;
  };
  for (std::int64_t component = 0; component < components && !box.empty(); ++component) {
    for (std::int64_t k = box.axis[2].low; k < box.axis[2].high; ++k) {
      for (std::int64_t j = box.axis[1].low; j < box.axis[1].high; ++j) {
        for (std::int64_t i = box.axis[0].low; i < box.axis[0].high; ++i) {
          const auto x = indices(0, i), y = indices(1, j), z = indices(2, k);
          const bool one = x[0] == x[1] && y[0] == y[1] && z[0] == z[1];
          const std::complex<double> value = one ? at(wave({x[0], y[0], z[0]}), component) : mean(component, x, y, z);
          values.emplace_back(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
        }
      }
    }
  }
  return values;
}

template std::vector<std::complex<double>> KernelValues::on(const Box& box, const GridShape& shape) const;
template std::vector<std::complex<float>> KernelValues::on(const Box& box, const GridShape& shape) const;

}  // namespace seiche
