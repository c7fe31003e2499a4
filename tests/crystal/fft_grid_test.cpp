// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFT grids of densities, against loops over generous boxes of indices.
#include "crystal/fft_grid.hpp"

#include <cmath>

#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

Crystal of(const std::array<Vector3, 3>& lattice) {
  Crystal crystal;
  crystal.lattice = lattice;
  return crystal;
}

/// The largest index along each axis of waves with |G|^2 / 2 <= cutoff.
std::array<int, 3> reach_by_loop(const Crystal& crystal, double cutoff, int most) {
  const auto b = crystal.reciprocal();
  std::array<int, 3> reach{};
  for (int x = -most; x <= most; ++x) {
    for (int y = -most; y <= most; ++y) {
      for (int z = -most; z <= most; ++z) {
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) square += std::pow(x * b[0][c] + y * b[1][c] + z * b[2][c], 2);
        if (square / 2 > cutoff) continue;
        reach = {std::max(reach[0], x), std::max(reach[1], y), std::max(reach[2], z)};
      }
    }
  }
  return reach;
}

bool only_2_3_5(std::int64_t n) {
  while (n % 2 == 0) n /= 2;
  while (n % 3 == 0) n /= 3;
  while (n % 5 == 0) n /= 5;
  return n == 1;
}

TEST(FftGrid, IsTheSmallestThatHoldsTheSphere) {
  const std::vector<std::array<Vector3, 3>> lattices{
      {{{5, 0, 0}, {0, 6, 0}, {0, 0, 7.3}}},
      {{{0, 5.1, 5.1}, {5.1, 0, 5.1}, {5.1, 5.1, 0}}},
      {{{6, 0, 0}, {-3, 3 * std::sqrt(3.0), 0}, {0, 0, 9}}},
      {{{4, 0, 0}, {3.5, 2, 0}, {1, -2, 6}}},
  };
  for (const auto& lattice : lattices) {
    for (const double cutoff : {0.5, 2.0, 7.7, 12.0}) {
      const Crystal crystal = of(lattice);
      const GridShape grid = fft_grid(crystal, cutoff);
      const auto reach = reach_by_loop(crystal, cutoff, 14);
      const std::array<std::int64_t, 3> points{grid.nx, grid.ny, grid.nz};
      for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_LT(reach[i], 14);
        std::int64_t smallest = 2 * reach[i] + 1;
        while (!only_2_3_5(smallest)) ++smallest;
        EXPECT_EQ(points[i], smallest) << "axis " << i << ", cut-off " << cutoff;
        compared(1);
      }
    }
  }
}

TEST(FftGrid, CountsWavesOnTheEdge) {
  const Crystal cube = of({{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}});  // |b| = pi, and at index 3 the energy is 4.5 pi^2
  const double edge = 0.5 * 9 * cube.reciprocal()[0][0] * cube.reciprocal()[0][0];
  EXPECT_EQ(fft_grid(cube, edge), (GridShape{8, 8, 8}));
  EXPECT_EQ(fft_grid(cube, edge * (1 - 1e-9)), (GridShape{5, 5, 5}));
}

TEST(FftGrid, TakesPointsToPoints) {
  Crystal screw = of({{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}}});
  screw.operations = {{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 1.0 / 3}, false}};
  const GridShape plain = fft_grid(of(screw.lattice), 5.2), grid = fft_grid(screw, 5.2);
  EXPECT_EQ(plain.nz % 3, 2) << "or this case shows nothing";
  EXPECT_EQ(grid.nx, plain.nx);
  EXPECT_EQ(grid.nz % 3, 0);
  screw.operations[0].translation = {0, 0, 0.123456};
  EXPECT_EQ(fft_grid(screw, 5.2), plain) << "where none does";
}

TEST(FftGrid, DamagedCellsTakeNoTime) {
  expect_error(Fault::bad_file, "too fine a grid", [] { fft_grid(of({{{1e9, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), 10); });
  const Crystal needle = of({{{1e5, 0, 0}, {1e5, 1e-3, 0}, {0, 1e5, 1}}});
  EXPECT_GT(fft_grid(needle, 100).nx, 100'000);
}

}  // namespace
}  // namespace seiche::testing
