// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests lines and planes through densities, and their pictures.
#include "seiche/cut.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;

/// Angles of bismuth telluride, whose lattice vectors are nearly normal to the plane (1 1 1), and others.
TEST(Cut, DirectionsOfALatticePlaneAreUnitVectors) {
  for (const double alpha : {5.0, 24.2, 60.0, 90.0, 110.0}) {
    const double c = std::cos(alpha * std::numbers::pi / 180), z = std::sqrt((1 + 2 * c) / 3),
                 r = std::sqrt((1 - c) * 2 / 3);
    Crystal crystal;
    for (std::size_t i = 0; i < 3; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(i) / 3;
      crystal.lattice[i] = {10 * r * std::cos(turn), 10 * r * std::sin(turn), 10 * z};
    }
    for (const Miller& hkl : {Miller{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {2, 1, -3}}) {
      const Plane plane = plane_of_indices(crystal, hkl, 0.5);
      const auto scalar = [](const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
      EXPECT_NEAR(scalar(plane.right, plane.right), 1, 1e-12) << alpha;
      EXPECT_NEAR(scalar(plane.up, plane.up), 1, 1e-12) << alpha;
      EXPECT_NEAR(scalar(plane.right, plane.up), 0, 1e-12) << alpha;
      const auto b = crystal.reciprocal();
      const std::array<double, 3> n{static_cast<double>(hkl.x), static_cast<double>(hkl.y), static_cast<double>(hkl.z)};
      Vector3 normal{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) normal[j] += n[i] * b[i][j];
      }
      EXPECT_NEAR(scalar(plane.right, normal), 0, 1e-12) << alpha;
      EXPECT_NEAR(scalar(plane.centre, normal), 0.5 * std::sqrt(scalar(normal, normal)), 1e-12) << alpha;
      compared(5);
    }
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      expect_error(Fault::bad_argument, "the distance of a lattice plane from the origin must be finite", [&] {
        plane_of_indices(crystal, {1, 0, 0}, bad);
      });
    }
  }
}

TEST(Cut, NumbersThatAreNotFinite) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Density density = read_density(file);
  expect_error(Fault::bad_argument, "the end points of a line must be finite", [&] {
    line_cut(density, {0, 0, 0}, {std::nan(""), 0, 0}, 3);
  });
  expect_error(Fault::bad_argument, "the bounds of an energy range must be numbers", [&] {
    filled(file.header(), {{}, -2.0, std::nan("")});
  });
}

/// The grid has the values of a known function. A plane between the grid points must show the same function.
TEST(Cut, PlanesShowTheFunctionBetweenGridPoints) {
  Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  const auto function = [](const Vector3& x) {
    const double turn = 2 * std::numbers::pi;
    return 1.5 + 0.8 * std::cos(turn * x[0]) + 0.4 * std::sin(turn * (x[1] - 2 * x[2]));
  };
  auto value = density.components[0].begin();
  const auto& axis = density.box.axis;
  for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
    for (std::int64_t y = axis[1].low; y < axis[1].high; ++y) {
      for (std::int64_t x = axis[0].low; x < axis[0].high; ++x) {
        *value++ = function({double(x) / double(density.grid.nx), double(y) / double(density.grid.ny),
                             double(z) / double(density.grid.nz)});
      }
    }
  }
  const Plane plane{{0.3, -0.7, 1.1}, {0.6, 0.8, 0}, {-0.8 * 0.6, 0.6 * 0.6, 0.8}, 9, ""};
  constexpr int pixels = 12;
  const auto seen = plane_values(density, plane, pixels);
  expect_error(Fault::bad_argument, "of a plane must be finite", [&] {
    plane_values(density, {plane.centre, plane.right, plane.up, std::numeric_limits<double>::infinity(), ""}, pixels);
  });
  EXPECT_EQ(seen.values.size(), std::size_t{pixels * pixels});
  EXPECT_FALSE(seen.is_noise());
  const auto b = density.crystal.reciprocal();
  std::vector<double> expected;
  for (int row = 0; row < pixels; ++row) {
    for (int column = 0; column < pixels; ++column) {
      const double right = 9 * ((column + 0.5) / pixels - 0.5), up = 9 * (0.5 - (row + 0.5) / pixels);  // from the top
      Vector3 x{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          x[i] += b[i][j] * (plane.centre[j] + right * plane.right[j] + up * plane.up[j]) / (2 * std::numbers::pi);
        }
      }
      expected.push_back(function(x));
    }
  }
  testing::expect_close<double>(seen.values, expected, 3e-5);  // the accuracy of windowed sincs
}

TEST(Cut, PictureIsAPng) {
  const testing::ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  draw_density(density, scratch.file("silicon.png"));
  std::ifstream file(scratch.file("silicon.png"), std::ios::binary);
  std::string head(8, ' ');
  file.read(head.data(), 8);
  testing::expect_equal(head, std::string("\x89PNG\r\n\x1a\n"));
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace seiche
