// SPDX-License-Identifier: BSD-3-Clause
/// \file  Trial orbitals as waves, against integrals by quadrature and sums over waves.
#include "orbitals/trial_orbitals.hpp"

#include <cmath>
#include <map>

#include "support/mpi_test.hpp"
#include "support/vector3.hpp"

namespace seiche {
namespace {

using Complex = std::complex<double>;
using testing::compared;
using testing::expect_error;

double bessel(int l, double x) { return std::sph_bessel(static_cast<unsigned>(l), x); }

double by_quadrature(int l, int power, double a, double q) {
  constexpr int steps = 20000;  // Simpson's rule
  const double end = 60 / a, h = end / steps;
  double sum = 0;
  for (int i = 1; i < steps; ++i) {
    const double r = h * i;
    sum += (i % 2 == 1 ? 4 : 2) * std::pow(r, power) * bessel(l, q * r) * std::exp(-a * r);
  }
  return sum * h / 3;
}

TEST(TrialOrbitals, RadialIntegralsAreThoseOfAQuadrature) {
  for (int l = 0; l <= 3; ++l) {
    for (int power = 2; power <= 4; ++power) {
      for (const double a : {0.4, 1.0, 2.5}) {
        for (const double q : {0.001, 0.1, 0.19, 0.21, 0.49, 0.51, 1.24, 1.26, 4.0}) {
          const double scale = by_quadrature(0, power, a, 1e-9);
          EXPECT_NEAR(radial_integral(l, power, a, q) / scale, by_quadrature(l, power, a, q) / scale, 1e-11)
              << l << ' ' << power << ' ' << a << ' ' << q;
          compared();
        }
      }
    }
  }
}

/// In a cell that is much larger than they are, all functions of one radial kind are orthonormal, but for what the
/// cut-off takes away of cusps.
TEST(TrialOrbitals, FunctionsAreOrthonormal) {
  const double side = 14;
  const Crystal crystal{{{{side, 0, 0}, {0, side, 0}, {0, 0, side}}}, {}, {}};
  const auto waves = sphere_of_waves(crystal.reciprocal(), {0, 0, 0}, 40, false);
  const std::map<int, int> groups{{0, 1}, {1, 3}, {2, 5}, {3, 7}, {-1, 2}, {-2, 3}, {-3, 4}, {-4, 5}, {-5, 6}};
  for (const auto& [l, count] : groups) {
    std::vector<std::vector<Complex>> functions;
    for (int number = 1; number <= count; ++number) {
      const TrialWaves value(crystal, {{0.2, 0.3, 0.4}, l, number, 1, {1, 1, 0}, {0, 0, 1}, 1});
      auto& function = functions.emplace_back();
      for (const Miller& g : waves) function.push_back(value({double(g.x), double(g.y), double(g.z)}));
    }
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j <= i; ++j) {
        Complex sum = 0;
        for (std::size_t g = 0; g < waves.size(); ++g) {
          sum += std::conj(functions[static_cast<std::size_t>(i)][g]) * functions[static_cast<std::size_t>(j)][g];
        }
        EXPECT_NEAR(std::abs(sum - (i == j ? 1.0 : 0.0)), 0, 6e-2) << l << ": " << i << ' ' << j;
        compared();
      }
    }
  }
}

/// 1s, 2s and 3s of one nucleus are.
TEST(TrialOrbitals, RadialFunctionsAreOrthonormal) {
  const Crystal crystal{{{{16, 0, 0}, {0, 16, 0}, {0, 0, 16}}}, {}, {}};
  const auto waves = sphere_of_waves(crystal.reciprocal(), {0, 0, 0}, 40, false);
  for (int i = 1; i <= 3; ++i) {
    for (int j = 1; j <= i; ++j) {
      const TrialWaves a(crystal, {.radial = i, .diffusivity = 3}), b(crystal, {.radial = j, .diffusivity = 3});
      Complex sum = 0;
      for (const Miller& g : waves) {
        const Vector3 q{double(g.x), double(g.y), double(g.z)};
        sum += std::conj(a(q)) * b(q);
      }
      EXPECT_NEAR(std::abs(sum - (i == j ? 1.0 : 0.0)), 0, 6e-2) << i << ' ' << j;
      compared();
    }
  }
}

TEST(TrialOrbitals, SpinsAreEigenvectors) {
  const Crystal crystal{{{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}}}, {}, {}};
  for (const Vector3& axis : {Vector3{0, 0, 1}, Vector3{0, 0, -2}, Vector3{1, 0, 0}, Vector3{1, -2, 0.5}}) {
    for (const int sign : {1, -1}) {
      const auto [up, down] = TrialWaves(crystal, {.spin = sign, .spin_axis = axis}).spin();
      const double x = 2 * (std::conj(up) * down).real(), y = 2 * (std::conj(up) * down).imag(),
                   z = std::norm(up) - std::norm(down), length = std::sqrt(dot(axis, axis));
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR((std::array{x, y, z}[i]), sign * axis[i] / length, 1e-14);
      compared();
    }
  }
}

TEST(TrialOrbitals, RefusesWhatThereIsNot) {
  const auto refused = [](const std::string& part, const TrialOrbital& trial) {
    expect_error(Fault::bad_argument, part, [&] { require_sound(trial); });
  };
  refused("no trial orbital of l 1 and number 4", {.l = 1, .number = 4});
  refused("no trial orbital of l -4 and number 6", {.l = -4, .number = 6});
  refused("no radial function 4", {.radial = 4});
  refused("must be positive (got -1)", {.diffusivity = -1});
  refused("are not orthogonal", {.z = {1, 0, 0}, .x = {1, 1, 0}});
}

}  // namespace
}  // namespace seiche
