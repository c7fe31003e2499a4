// SPDX-License-Identifier: BSD-3-Clause
/// \file  Hydrogen-like orbitals, transformed in closed form: 4 pi (-i)^l Y_l(q) times the integral of r^2 j_l(q r)
/// R(r). Functions, numbers and hybrids follow tables 3.1 and 3.2 of the user guide of wannier90.
#include "orbitals/trial_orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// A real harmonic in a sum, with l and number as in wannier90.
struct Part {
  int l, number;
  double weight;
};

std::vector<Part> hybrid(int l, int number) {
  const double r2 = std::sqrt(0.5), r3 = std::sqrt(1 / 3.0), r6 = std::sqrt(1 / 6.0), r12 = std::sqrt(1 / 12.0);
  constexpr int z = 1, x = 2, y = 3, z2 = 1, x2y2 = 4;
  const double even = number % 2 == 0 ? 1 : -1;
  if (l == -1) return {{0, 1, r2}, {1, x, -even * r2}};
  if (l == -3) {
    return {{0, 1, 0.5},
            {1, x, number <= 2 ? 0.5 : -0.5},
            {1, y, number % 2 == 1 ? 0.5 : -0.5},
            {1, z, number == 1 || number == 4 ? 0.5 : -0.5}};
  }
  if (l == -4 && number >= 4) return {{1, z, number == 4 ? r2 : -r2}, {2, z2, r2}};
  if (l == -2 || l == -4) {
    if (number == 3) return {{0, 1, r3}, {1, x, 2 * r6}};
    return {{0, 1, r3}, {1, x, -r6}, {1, y, number == 1 ? r2 : -r2}};
  }
  if (number <= 2) return {{0, 1, r6}, {1, x, even * r2}, {2, z2, -r12}, {2, x2y2, 0.5}};
  if (number <= 4) return {{0, 1, r6}, {1, y, even * r2}, {2, z2, -r12}, {2, x2y2, -0.5}};
  return {{0, 1, r6}, {1, z, even * r2}, {2, z2, r3}};
}

int functions_of(int l) { return l >= 0 ? 2 * l + 1 : l == -5 ? 6 : 1 - l; }

/// Returns a real harmonic at a unit vector.
double harmonic(int l, int number, const Vector3& u) {
  const auto& [x, y, z] = u;
  const double pi = std::numbers::pi;
  if (l == 0) return std::sqrt(1 / (4 * pi));
  if (l == 1) return std::sqrt(3 / (4 * pi)) * std::array{z, x, y}[static_cast<std::size_t>(number - 1)];
  if (l == 2) {
    const double r3 = std::sqrt(3.0);
    const std::array d{(3 * z * z - 1) / 2, r3 * x * z, r3 * y * z, r3 / 2 * (x * x - y * y), r3 * x * y};
    return std::sqrt(5 / (4 * pi)) * d[static_cast<std::size_t>(number - 1)];
  }
  const double a = std::sqrt(3 / 8.0), b = std::sqrt(15.0), c = std::sqrt(5 / 8.0);
  const std::array f{z * (5 * z * z - 3) / 2,     a * x * (5 * z * z - 1), a * y * (5 * z * z - 1),
                     b / 2 * z * (x * x - y * y), b * x * y * z,           c * x * (x * x - 3 * y * y),
                     c * y * (3 * x * x - y * y)};
  return std::sqrt(7 / (4 * pi)) * f[static_cast<std::size_t>(number - 1)];
}

/// Returns the integral of (t - a)^moment / (t^2 + q^2)^n over t from a to infinity, for moment 0 or 1 and q below a.
/// Sums a series in (q/a)^2, because the closed form loses digits there.
double tail_series(int n, int moment, double a, double q) {
  double sum = 0, factor = std::pow(a, 1 + moment - 2 * n);
  for (int j = 0; j < 60; ++j) {
    const double power = 2.0 * (n + j);
    sum += factor * (moment == 0 ? 1 / (power - 1) : 1 / (power - 2) - 1 / (power - 1));
    factor *= -(n + j) / (j + 1.0) * (q / a) * (q / a);
  }
  return sum;
}

/// Returns the same integral for n = 3 and 4, moment 0.
double tail(int n, double a, double q) {
  if (q < a / 2) return tail_series(n, 0, a, q);
  const double s = a * a + q * q, q2 = q * q;
  const double third = 3 * std::atan2(q, a) / (8 * q2 * q2 * q) - a / (4 * q2 * s * s) - 3 * a / (8 * q2 * q2 * s);
  return n == 3 ? third : 5 * third / (6 * q2) - a / (6 * q2 * s * s * s);
}

/// Returns the integral of r^2 j_l(q r) R(r) for the radial function 1s, 2s or 3s.
double radial(int l, int number, double alpha, double q) {
  const auto of = [&](int power) { return radial_integral(l, power, alpha / number, q); };
  const double scale = std::pow(alpha, 1.5);
  if (number == 1) return 2 * scale * of(2);
  if (number == 2) return scale / std::sqrt(8.0) * (2 * of(2) - alpha * of(3));
  return scale * std::sqrt(4 / 27.0) * (of(2) - 2 * alpha / 3 * of(3) + 2 * alpha * alpha / 27 * of(4));
}

Vector3 unit(const Vector3& v) {
  const double length = std::sqrt(dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

}  // namespace

double radial_integral(int l, int power, double a, double q) {
  const double s = a * a + q * q, s3 = s * s * s, s4 = s3 * s, q2 = q * q, q3 = q2 * q;
  switch (4 * l + power - 2) {
    case 0:
      return 2 * a / (s * s);
    case 1:
      return (6 * a * a - 2 * q2) / s3;
    case 2:
      return 24 * a * (a * a - q2) / s4;
    case 4:
      return 2 * q / (s * s);
    case 5:
      return 8 * a * q / s3;
    case 6:
      return 8 * q * (5 * a * a - q2) / s4;
    case 8:
      return 8 * q2 * tail(3, a, q);
    case 9:
      return 8 * q2 / s3;
    case 10:
      return 48 * a * q2 / s4;
    case 12:
      return 48 * q3 * (q < a / 2 ? tail_series(4, 1, a, q) : 1 / (6 * s3) - a * tail(4, a, q));
    case 13:
      return 48 * q3 * tail(4, a, q);
    case 14:
      return 48 * q3 / s4;
    default:
      fail(Fault::internal, "no radial integral of l {} and power {}", l, power);
  }
}

void require_sound(const TrialOrbital& orbital) {
  const int l = orbital.l;
  require(l >= -5 && l <= 3 && orbital.number >= 1 && orbital.number <= functions_of(l), Fault::bad_argument,
          "no trial orbital of l {} and number {}: see the user guide of wannier90", l, orbital.number);
  require(orbital.radial >= 1 && orbital.radial <= 3, Fault::bad_argument,
          "no radial function {} of trial orbitals: use 1, 2 or 3", orbital.radial);
  require(orbital.diffusivity > 0 && orbital.diffusivity < 1e6, Fault::bad_argument,
          "the diffusivity of a trial orbital must be positive (got {})", orbital.diffusivity);
  const Vector3 &z = orbital.z, &x = orbital.x;
  require(dot(z, z) > 1e-12 && dot(x, x) > 1e-12 && std::abs(dot(unit(z), unit(x))) < 1e-4, Fault::bad_argument,
          "the axes z ({}, {}, {}) and x ({}, {}, {}) of a trial orbital are not orthogonal", z[0], z[1], z[2], x[0],
          x[1], x[2]);
  require(orbital.spin >= -1 && orbital.spin <= 1 && dot(orbital.spin_axis, orbital.spin_axis) > 1e-12,
          Fault::bad_argument, "the spin of a trial orbital must be 1 or -1, along an axis of nonzero length");
}

TrialWaves::TrialWaves(const Crystal& crystal, const TrialOrbital& orbital)
    : orbital_(orbital), reciprocal_(crystal.reciprocal()), root_volume_(std::sqrt(crystal.volume())) {
  require_sound(orbital);
  const Vector3 z = unit(orbital.z), x = unit(orbital.x);
  axes_ = {x, {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]}, z};
}

Complex TrialWaves::operator()(const Vector3& q) const {
  Vector3 wave{};
  double turn = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) wave[j] += q[i] * reciprocal_[i][j];
    turn += std::remainder(q[i] * orbital_.centre[i], 1.0);
  }
  const double length = std::sqrt(dot(wave, wave));
  const double inverse = length > 0 ? 1 / length : 0;  // at q = 0 only s orbitals contribute
  const Vector3 u{dot(wave, axes_[0]) * inverse, dot(wave, axes_[1]) * inverse, dot(wave, axes_[2]) * inverse};
  constexpr std::array<Complex, 4> turns{Complex(1, 0), Complex(0, -1), Complex(-1, 0), Complex(0, 1)};
  const std::vector<Part> parts =
      orbital_.l >= 0 ? std::vector<Part>{{orbital_.l, orbital_.number, 1}} : hybrid(orbital_.l, orbital_.number);
  Complex sum = 0;
  for (const Part& part : parts) {
    sum += part.weight * harmonic(part.l, part.number, u) *
           radial(part.l, orbital_.radial, orbital_.diffusivity, length) * turns[static_cast<std::size_t>(part.l)];
  }
  return 4 * std::numbers::pi / root_volume_ * sum * std::polar(1.0, -2 * std::numbers::pi * turn);
}

std::array<Complex, 2> TrialWaves::spin() const {
  if (orbital_.spin == 0) return {1, 0};
  Vector3 n = unit(orbital_.spin_axis);
  for (double& x : n) x *= orbital_.spin;
  if (n[2] < -1 + 1e-12) return {0, 1};
  const double scale = std::sqrt(2 * (1 + n[2]));
  return {Complex(1 + n[2]) / scale, Complex(n[0], n[1]) / scale};
}

}  // namespace seiche
