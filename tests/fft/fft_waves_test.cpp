// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests which waves a sphere plan accepts, and which requests it refuses.
#include <array>
#include <complex>
#include <numbers>
#include <type_traits>
#include <vector>

#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"

namespace seiche::testing {
namespace {

TEST(Sphere, BandGroupsDivideTheRanks) {
  expect_error(Fault::bad_argument, "the number of band groups must divide the number of ranks", [] {
    SphereFft<Wide>(MPI_COMM_WORLD, {4, 4, 4}, {}, {.band_groups = ranks() + 1});
  });
}

TEST(Sphere, BadWavesAreRefusedOnAllRanks) {
  const GridShape shape{6, 6, 6};
  std::vector<Miller> mine;
  if (rank() == ranks() - 1) mine = {{0, 0, 0}, {4, 0, 0}};
  expect_error(Fault::bad_argument, "(4,0,0) does not fit a grid of 6 x 6 x 6",
               [&] { SphereFft<Wide>(MPI_COMM_WORLD, shape, mine); });
  mine.clear();
  if (rank() == 0) mine = {{1, 0, -2}, {1, 0, 1}};
  if (rank() == ranks() - 1) mine.push_back({1, 0, -2});
  expect_error(Fault::bad_argument, "duplicate wave (1,0,-2)", [&] { SphereFft<Wide>(MPI_COMM_WORLD, shape, mine); });
  mine.clear();
  if (rank() == 0) mine = {{1, 2, 0}};
  if (rank() == ranks() - 1) mine.push_back({-1, -2, 0});
  expect_error(Fault::bad_argument, "has one place for the waves n/2 and -n/2", [&] {
    const auto half = static_cast<std::int32_t>(shape.nx / 2);
    SphereFft<Wide>(MPI_COMM_WORLD, {2 * half, shape.ny, shape.nz},
                    testing::rank() == 0 ? std::vector<Miller>{{half, 1, 0}, {-half, 1, 0}} : std::vector<Miller>{});
  });
  expect_error(Fault::bad_argument, "duplicate wave (", [&] { SphereFft<double>(MPI_COMM_WORLD, shape, mine); });
}

/// Checks index `i` along one axis of a grid of n points. Half spheres require 2 |i| < n, because G and -G must be
/// different points of the grid. Whole spheres require 2 |i| <= n. Waves at the limit are transformed correctly.
template <class Value>
void check_edge(std::size_t axis, std::int64_t n, std::int32_t i, bool fits) {
  std::array<std::int64_t, 3> points{3, 3, 3};
  std::array<std::int32_t, 3> index{};
  points[axis] = n;
  index[axis] = i;
  const GridShape shape{points[0], points[1], points[2]};
  std::vector<Miller> mine;
  if (rank() == ranks() - 1) mine = {{index[0], index[1], index[2]}};
  if (!fits) {
    expect_error(Fault::bad_argument, "does not fit a grid", [&] { SphereFft<Value>(MPI_COMM_WORLD, shape, mine); });
    return;
  }
  SphereFft<Value> fft(MPI_COMM_WORLD, shape, mine);
  const std::vector<Wide> c(mine.size(), Wide(0.6, -0.8));
  std::vector<Value> grid(static_cast<std::size_t>(fft.grid_box().volume()));
  fft.backward(c, grid, 1);
  std::size_t at = 0;
  const Box& box = fft.grid_box();
  std::array<std::int64_t, 3> r{};
  for (r[2] = box.axis[2].low; r[2] < box.axis[2].high; ++r[2]) {
    for (r[1] = box.axis[1].low; r[1] < box.axis[1].high; ++r[1]) {
      for (r[0] = box.axis[0].low; r[0] < box.axis[0].high; ++r[0], ++at) {
        const double turns = static_cast<double>(i * r[axis]) / static_cast<double>(n);
        const Wide wave = Wide(0.6, -0.8) * std::polar(1.0, 2 * std::numbers::pi * turns);
        const Wide wanted = std::is_floating_point_v<Value> ? Wide(2 * wave.real()) : wave;
        EXPECT_LE(std::abs(Wide(grid[at]) - wanted), 1e-14) << "index " << i << " of " << n;
      }
    }
  }
  compared(static_cast<std::int64_t>(at));
}

TEST(Sphere, EndsAtItsEdge) {
  for (const std::size_t axis : {0U, 1U, 2U}) {
    for (const std::int32_t sign : {1, -1}) {
      check_edge<double>(axis, 7, 3 * sign, true);
      check_edge<double>(axis, 7, 4 * sign, false);
      check_edge<double>(axis, 6, 2 * sign, true);
      check_edge<double>(axis, 6, 3 * sign, false);
      check_edge<Wide>(axis, 7, 3 * sign, true);
      check_edge<Wide>(axis, 7, 4 * sign, false);
      check_edge<Wide>(axis, 6, 3 * sign, true);
      check_edge<Wide>(axis, 6, 4 * sign, false);
    }
  }
}

TEST(Sphere, WrongSizesAreRefused) {
  SphereFft<Wide> fft(MPI_COMM_WORLD, {4, 4, 4}, rank() == 0 ? std::vector<Miller>{{0, 0, 0}} : std::vector<Miller>{});
  std::vector<Wide> wrong(5);
  expect_error(Fault::bad_argument, "values (got 5)", [&] { fft.backward(wrong, wrong, 1); });
}

}  // namespace
}  // namespace seiche::testing
