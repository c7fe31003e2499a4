// SPDX-License-Identifier: BSD-3-Clause
/// \file  SpFFT as an oracle: random problems as its own tests have them (any sticks in any order, any planes to each
/// rank, none to some, indices around zero or from zero, complex and real) given to it and to SphereFft.
#include <algorithm>
#include <random>
#include <spfft/spfft.hpp>

#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;
using Complex = std::complex<double>;

/// What one rank gives to SpFFT, which is enough for SphereFft as well.
struct Problem {
  GridShape shape{};
  bool real = false;
  std::vector<int> triplets;  ///< of this rank's waves
  int planes = 0;             ///< along z on this rank
};

/// The same on all ranks but for what is theirs.
class Problems {
 public:
  Problem next(bool real) {
    Problem problem;
    problem.real = real;
    problem.shape = {from(1, 13), from(1, 13), from(1, 13)};
    const bool around_zero = chance(0.5);
    const GridShape& n = problem.shape;
    for (std::int64_t x = real ? 0 : low(n.nx); x <= high(n.nx); ++x) {
      for (std::int64_t y = low(n.ny); y <= high(n.ny); ++y) {
        const bool here = from(0, testing::ranks() - 1) == testing::rank();
        if (!chance(0.7)) continue;
        std::vector<std::int64_t> stick;
        for (std::int64_t z = low(n.nz); z <= high(n.nz); ++z) {
          const bool other_half = real && x == 0 && (y < 0 || (y == 0 && z < 0));
          if (chance(0.8) && !other_half) stick.push_back(z);
        }
        std::shuffle(stick.begin(), stick.end(), random_);
        for (const std::int64_t z : stick) {
          if (!here) continue;
          const auto index = [&](std::int64_t i, std::int64_t size) {
            return static_cast<int>(around_zero || i >= 0 ? i : i + size);
          };
          problem.triplets.insert(problem.triplets.end(), {index(x, n.nx), index(y, n.ny), index(z, n.nz)});
        }
      }
    }
    std::vector<int> planes(static_cast<std::size_t>(testing::ranks()));
    for (std::int64_t z = 0; z < n.nz; ++z) ++planes[static_cast<std::size_t>(from(0, testing::ranks() - 1))];
    problem.planes = planes[static_cast<std::size_t>(testing::rank())];
    return problem;
  }

 private:
  static std::int64_t low(std::int64_t n) { return -((n - 1) / 2); }
  static std::int64_t high(std::int64_t n) { return (n - 1) / 2; }
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool chance(double share) { return std::bernoulli_distribution(share)(random_); }
  std::mt19937 random_{17};
};

std::vector<Miller> waves_of(const Problem& problem) {
  const auto wave = [](int i, std::int64_t n) { return static_cast<std::int32_t>(2 * i > n ? i - n : i); };
  std::vector<Miller> waves;
  for (std::size_t t = 0; t < problem.triplets.size(); t += 3) {
    const int* g = &problem.triplets[t];
    waves.push_back({wave(g[0], problem.shape.nx), wave(g[1], problem.shape.ny), wave(g[2], problem.shape.nz)});
  }
  return waves;
}

double number(std::int64_t a, std::int64_t b, std::int64_t c) {
  return std::sin(static_cast<double>(1 + 31 * a + 77 * b + 13 * c * c));
}

template <class Value>
Value value(std::int64_t x, std::int64_t y, std::int64_t z) {
  if constexpr (std::is_same_v<Value, double>) {
    return number(x, y, z);
  } else {
    return {number(x, y, z), number(z, x, y)};
  }
}

/// Collective. The whole grid on every rank, from the points that each has.
template <class Value>
std::vector<Value> whole_grid(const GridShape& shape, const Box& box, const Value* points) {
  std::vector<Value> all(static_cast<std::size_t>(shape.volume()));
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) {
        all[static_cast<std::size_t>((z * shape.ny + y) * shape.nx + x)] = *points++;
      }
    }
  }
  constexpr int reals = sizeof(Value) / sizeof(double);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()) * reals, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

template <class Value>
void fill(const Box& box, Value* points) {
  for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
    for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
      for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x) *points++ = value<Value>(x, y, z);
    }
  }
}

template <class Value>
void compare(const Problem& problem) {
  const GridShape& n = problem.shape;
  const std::vector<Miller> waves = waves_of(problem);
  std::vector<Complex> coefficients;
  for (const Miller& g : waves) {
    const bool itself = problem.real && g == Miller{};  // its own opposite
    coefficients.push_back(itself ? Complex(0.5) : value<Complex>(g.x, g.y, g.z));
  }
  const auto in_reals = [](auto& values) { return reinterpret_cast<double*>(values.data()); };

  spfft::Transform theirs(1, MPI_COMM_WORLD, SPFFT_EXCH_COMPACT_BUFFERED, SPFFT_PU_HOST,
                          problem.real ? SPFFT_TRANS_R2C : SPFFT_TRANS_C2C, static_cast<int>(n.nx),
                          static_cast<int>(n.ny), static_cast<int>(n.nz), problem.planes,
                          static_cast<int>(waves.size()), SPFFT_INDEX_TRIPLETS, problem.triplets.data());
  SphereFft<Value> ours(MPI_COMM_WORLD, n, waves);

  theirs.backward(in_reals(coefficients), SPFFT_PU_HOST);
  auto* const points = reinterpret_cast<Value*>(theirs.space_domain_data(SPFFT_PU_HOST));
  const Range planes{theirs.local_z_offset(), theirs.local_z_offset() + theirs.local_z_length()};
  const Box slab{{{{0, n.nx}, {0, n.ny}, planes}}};
  std::vector<Value> grid(static_cast<std::size_t>(ours.grid_box().volume()));
  ours.backward(coefficients, grid);
  const auto expected = whole_grid<Value>(n, slab, points);
  testing::expect_close<Value>(whole_grid<Value>(n, ours.grid_box(), grid.data()), expected,
                               1e-12 * static_cast<double>(n.volume()));

  fill(slab, points);
  fill(ours.grid_box(), grid.data());
  std::vector<Complex> back(waves.size()), expected_back(waves.size());
  theirs.forward(SPFFT_PU_HOST, in_reals(expected_back), SPFFT_FULL_SCALING);
  ours.forward(grid, back);
  testing::expect_close<Complex>(back, expected_back, 1e-13);
  ours.close();
}

TEST(Spfft, ComplexProblemsAreTheSame) {
  Problems problems;
  for (int i = 0; i < 100; ++i) compare<Complex>(problems.next(false));
}

TEST(Spfft, RealProblemsAreTheSame) {
  Problems problems;
  for (int i = 0; i < 100; ++i) compare<double>(problems.next(true));
}

}  // namespace
}  // namespace seiche
