// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests transforms of plane-wave spheres against sums by the definition, for all distributions, half spheres,
/// bands, decompositions and algorithms.
#include <algorithm>
#include <array>
#include <string>

#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Distribution of the waves over the ranks.
enum class Spread { sticks, blocks, cyclic, last_rank, scattered };
constexpr Spread spreads[] = {Spread::sticks, Spread::blocks, Spread::cyclic, Spread::last_rank, Spread::scattered};

int owner_of(Spread spread, std::size_t i, const std::vector<Miller>& waves, const std::vector<int>& balanced) {
  const auto n = static_cast<std::int64_t>(waves.size());
  switch (spread) {
    case Spread::sticks:
      return balanced[i];
    case Spread::blocks:
      return block_owner(n, ranks(), static_cast<std::int64_t>(i));
    case Spread::cyclic:
      return static_cast<int>(i % static_cast<std::size_t>(ranks()));
    case Spread::last_rank:
      return ranks() - 1;
    case Spread::scattered:
      return static_cast<int>((i * 7919) % 13) % ((ranks() + 1) / 2);  // half of the ranks have no waves
  }
  return 0;
}

/// Returns waves within an ellipsoid of the grid, in a shuffled order. Half spheres contain either G or -G.
std::vector<Miller> test_waves(const GridShape& shape, bool half) {
  const auto reach = [](std::int64_t n) { return static_cast<std::int32_t>((n - 1) / 2); };
  const std::int32_t mx = reach(shape.nx), my = reach(shape.ny), mz = reach(shape.nz);
  std::vector<Miller> waves;
  for (std::int32_t z = -mz; z <= mz; ++z) {
    for (std::int32_t y = -my; y <= my; ++y) {
      for (std::int32_t x = -mx; x <= mx; ++x) {
        const auto part = [](std::int32_t i, std::int32_t m) { return m == 0 ? 0.0 : double(i) * i / (double(m) * m); };
        const bool first_half = z > 0 || (z == 0 && (y > 0 || (y == 0 && x >= 0)));
        const double r = part(x, mx) + part(y, my) + part(z, mz);
        if (r > 1 || (half && !first_half)) continue;
        const bool flip = half && (x + y + z) % 3 == 0;  // callers may store either of G and -G
        waves.push_back(flip ? Miller{-x, -y, -z} : Miller{x, y, z});
      }
    }
  }
  for (std::size_t i = waves.size(); i > 1; --i) std::swap(waves[i - 1], waves[(i * 48271) % i]);
  return waves;
}

std::size_t position(const Miller& g, const GridShape& shape) {
  const auto wrap = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
  return static_cast<std::size_t>(wrap(g.x, shape.nx) +
                                  shape.nx * (wrap(g.y, shape.ny) + shape.ny * wrap(g.z, shape.nz)));
}

struct Expected {
  std::vector<Miller> waves;
  std::vector<std::vector<Wide>> coefficients, grid;  // [band]
};

Expected expected_values(const GridShape& shape, bool half, std::int64_t bands) {
  Expected expected{test_waves(shape, half), {}, {}};
  for (std::int64_t band = 0; band < bands; ++band) {
    auto c = random_values(static_cast<std::int64_t>(expected.waves.size()), 11 + static_cast<unsigned>(band));
    std::vector<Wide> box(static_cast<std::size_t>(shape.volume()));
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Miller g = expected.waves[i];
      if (half && g == Miller{}) c[i] = c[i].real();
      box[position(g, shape)] += c[i];
      if (half && !(g == Miller{})) box[position({-g.x, -g.y, -g.z}, shape)] += std::conj(c[i]);
    }
    expected.coefficients.push_back(c);
    expected.grid.push_back(shared_fourier_sum(box, shape, +1));
  }
  return expected;
}

template <class Value>
struct Mine {
  using Complex = typename ComplexOf<Value>::type;
  std::vector<Miller> waves;
  std::vector<std::size_t> index;  // index of each wave in the whole list
  std::vector<Complex> coefficients;

  Mine(const Expected& expected, Spread spread, std::int64_t bands) {
    const auto balanced = balanced_owners(expected.waves, ranks());
    for (std::size_t i = 0; i < expected.waves.size(); ++i) {
      if (owner_of(spread, i, expected.waves, balanced) != rank()) continue;
      waves.push_back(expected.waves[i]);
      index.push_back(i);
    }
    for (std::int64_t b = 0; b < bands; ++b) {
      for (const std::size_t i : index)
        coefficients.emplace_back(expected.coefficients[static_cast<std::size_t>(b)][i]);
    }
  }
};

double largest(const std::vector<Wide>& values) {
  double most = 1e-300;
  for (const Wide& value : values) most = std::max(most, std::abs(value));
  return most;
}

/// Returns the deviation of `grid`, which has the bands first, first + step, ...
template <class Value>
double grid_deviation(const std::vector<Value>& grid, const Box& box, const Expected& expected, const GridShape& shape,
                      std::int64_t first, std::int64_t step) {
  double worst = 0;
  std::size_t at = 0;
  for (auto b = static_cast<std::size_t>(first); b < expected.grid.size(); b += static_cast<std::size_t>(step)) {
    const auto& band = expected.grid[b];
    const double scale = largest(band);
    for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
      for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
        for (std::int64_t x = box.axis[0].low; x < box.axis[0].high; ++x, ++at) {
          const Wide want = band[static_cast<std::size_t>(x + shape.nx * (y + shape.ny * z))];
          const double off = std::abs(Wide(grid[at]) - want) / scale;
          worst = std::isnan(off) ? 1e300 : std::max(worst, off);
        }
      }
    }
  }
  EXPECT_EQ(at, grid.size());
  compared(static_cast<std::int64_t>(at));
  return worst;
}

/// Returns the deviation of coefficients. The expected values are those in `want`, multiplied by `factor(band)`.
template <class Complex, class Factor>
double wave_deviation(const std::vector<Complex>& got, const std::vector<Complex>& want, std::size_t bands,
                      const Factor& factor) {
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto band = static_cast<std::int64_t>(i / (want.size() / bands));
    const double off = std::abs(Wide(got[i]) - factor(band) * Wide(want[i]));
    worst = std::isnan(off) ? 1e300 : std::max(worst, off);
  }
  compared(static_cast<std::int64_t>(want.size()));
  return worst;
}

template <class Value>
void check_sphere(const GridShape& shape, Spread spread, const FftOptions& options, const Expected& expected) {
  SCOPED_TRACE(std::to_string(shape.nx) + "x" + std::to_string(shape.ny) + "x" + std::to_string(shape.nz) + " spread " +
               std::to_string(static_cast<int>(spread)) + " " + std::string(name_of(options.policy.algorithm)) + " " +
               name_of(options.decomposition) + " window " + std::to_string(options.policy.window) + " threads " +
               std::to_string(options.threads) + " band groups " + std::to_string(options.band_groups) + " space " +
               std::to_string(static_cast<int>(options.space)));
  const auto bands = static_cast<std::int64_t>(expected.grid.size());
  constexpr double tolerance = sizeof(typename ComplexOf<Value>::type) == 16 ? 1e-13 : 1e-5;
  Mine<Value> mine(expected, spread, bands);
  SphereFft<Value> fft(MPI_COMM_WORLD, shape, mine.waves, options);
  std::vector<Value> grid(static_cast<std::size_t>(fft.bands_here(bands) * fft.grid_box().volume()));
  const auto once = [](std::int64_t) { return 1.0; };
  const auto by_band = [](std::int64_t band) { return static_cast<double>(2 + band % 3); };
  auto returned = mine.coefficients;
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::fill(grid.begin(), grid.end(), Value(-77));
    fft.backward(mine.coefficients, grid, bands);
    EXPECT_LE(grid_deviation(grid, fft.grid_box(), expected, shape, fft.first_band_here(), fft.report().band_groups),
              tolerance);
    std::fill(returned.begin(), returned.end(), -99.f);
    fft.forward(grid, returned, bands);
    EXPECT_LE(wave_deviation(returned, mine.coefficients, expected.grid.size(), once), tolerance);
    std::fill(returned.begin(), returned.end(), -99.f);
    fft.round_trip(mine.coefficients, returned, bands, [&](std::int64_t band, const Box&, const View<Value>& values) {
      for (std::int64_t y = 0; y < values.shape[1]; ++y) {
        for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, 0) *= static_cast<float>(by_band(band));
      }
    });
    EXPECT_LE(wave_deviation(returned, mine.coefficients, expected.grid.size(), by_band), 4 * tolerance);
  }
}

/// Checks one combination of settings. `busy` adds options that do not change the results.
template <class Value>
void check_one(const GridShape& shape, Spread spread, FftOptions options, bool busy, const Expected& expected) {
  if (busy) {
    options.policy.window = 9;
    options.threads = 2;
    options.reproducible = true;
  }
  check_sphere<Value>(shape, spread, options, expected);
}

/// Checks every distribution in double precision, and one in single precision. The short suite runs combinations in
/// which each pair of settings occurs.
template <class Value>
void check_all(const GridShape& shape, std::int64_t bands) {
  constexpr bool single = sizeof(typename ComplexOf<Value>::type) == sizeof(std::complex<float>);
  const Expected expected = expected_values(shape, std::is_floating_point_v<Value>, bands);
  const auto algorithms = ways_here();
  for (std::size_t s = 0; s < std::size(spreads); ++s) {
    if (single && spreads[s] != Spread::cyclic) continue;
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      for (std::size_t d = 0; d < all_decompositions.size(); ++d) {
        for (const bool busy : {false, true}) {
          const bool taken = d == (s + a) % all_decompositions.size() && busy == ((a + s / 2) % 2 == 0);
          if (!taken && !long_suite()) continue;
          const FftOptions options{.policy = {.algorithm = algorithms[a]}, .decomposition = all_decompositions[d]};
          check_one<Value>(shape, spreads[s], options, busy, expected);
        }
      }
    }
  }
}

class Sphere : public ::testing::TestWithParam<GridShape> {};
TEST_P(Sphere, FullDouble) { check_all<std::complex<double>>(GetParam(), 3); }
TEST_P(Sphere, HalfDouble) { check_all<double>(GetParam(), 3); }
TEST_P(Sphere, FullFloat) { check_all<std::complex<float>>(GetParam(), 2); }
TEST_P(Sphere, HalfFloat) { check_all<float>(GetParam(), 2); }
GridShape largest_shape() { return long_suite() ? GridShape{16, 21, 41} : GridShape{10, 9, 23}; }
INSTANTIATE_TEST_SUITE_P(Shapes, Sphere,
                         ::testing::Values(GridShape{1, 1, 1}, GridShape{2, 2, 2}, GridShape{5, 6, 7}, largest_shape(),
                                           GridShape{9, 3, 1}, GridShape{1, 4, 12}));

TEST(LargeSphere, OnPrimes) {
  const GridShape shape = long_suite() ? GridShape{97, 97, 97} : GridShape{31, 47, 53};
  const Expected expected = expected_values(shape, false, 1);
  for (const auto decomposition : all_decompositions) {
    check_sphere<Wide>(shape, Spread::sticks, {.decomposition = decomposition}, expected);
  }
}

TEST(Sphere, OnMklWhereItIs) {
  if (!is_here(LineLibrary::mkl)) GTEST_SKIP() << "MKL is not here";
  for (const GridShape shape : {GridShape{5, 6, 7}, largest_shape()}) {
    const Expected full = expected_values(shape, false, 3), half = expected_values(shape, true, 3);
    for (const auto decomposition : all_decompositions) {
      for (const bool reproducible : {true, false}) {
        const FftOptions options{.policy = {.window = 2},
                                 .library = LineLibrary::mkl,
                                 .decomposition = decomposition,
                                 .reproducible = reproducible};
        check_sphere<Wide>(shape, Spread::cyclic, options, full);
        check_sphere<double>(shape, Spread::scattered, options, half);
        check_sphere<std::complex<float>>(shape, Spread::blocks, options, full);
        check_sphere<float>(shape, Spread::sticks, options, half);
      }
    }
  }
}

TEST(Sphere, BandsChangeFromCallToCall) {
  const GridShape shape{5, 6, 7};
  for (const std::int64_t bands : {4, 0, 1, 6}) {
    const Expected expected = expected_values(shape, false, bands);
    check_sphere<Wide>(shape, Spread::sticks, {.policy = {.window = 3}}, expected);
  }
}

/// Groups and numbers of bands for which some bundles are not full.
TEST(Sphere, OnACudaDevice) {
  const GridShape shape{5, 6, 7};
  const auto algorithms = ways_here();
  std::size_t row = 0, first = 0;
  for (const std::int64_t bands : {3, 0, 37}) {
    const Expected full = expected_values(shape, false, bands), half = expected_values(shape, true, bands);
    std::size_t turn = first++;  // a spread has another kind of values with the next number of bands
    for (const Spread spread : spreads) {
      const FftOptions options{
          .policy = {.algorithm = algorithms[row % algorithms.size()], .window = 1 + static_cast<int>(row % 3)},
          .decomposition = row % 2 == 0 ? Decomposition::automatic : Decomposition::slab,
          .band_groups = row % 3 == 0 ? 0 : 1,
          .space = Space::cuda};
      const bool wide = turn++ % 2 == 0;
      if (wide || long_suite()) check_sphere<Wide>(shape, spread, options, full);
      if (!wide || long_suite()) check_sphere<double>(shape, spread, options, half);
      if (++row % 3 > 0) continue;
      check_sphere<std::complex<float>>(shape, spread, options, full);
      check_sphere<float>(shape, spread, options, half);
    }
  }
}

/// All numbers of groups that divide the ranks, and numbers of bands for which some groups have none.
TEST(Sphere, BandGroupsTransformBandsOfTheirOwn) {
  const GridShape shape{8, 9, 7};
  for (const std::int64_t bands : {1, 5, 0}) {
    const Expected full = expected_values(shape, false, bands), half = expected_values(shape, true, bands);
    for (int groups = 1; groups <= ranks(); ++groups) {
      if (ranks() % groups > 0) continue;
      const auto algorithms = ways_here();
      for (std::size_t a = 0; a < algorithms.size(); ++a) {
        for (std::size_t d = 0; d < all_decompositions.size(); ++d) {
          const auto bands_and_groups = static_cast<std::size_t>(bands + groups);
          if (!long_suite() && d != (a + bands_and_groups) % all_decompositions.size()) continue;
          const FftOptions options{.policy = {.algorithm = algorithms[a], .window = groups},
                                   .decomposition = all_decompositions[d],
                                   .band_groups = groups};
          check_sphere<Wide>(shape, Spread::sticks, options, full);
          check_sphere<double>(shape, Spread::scattered, options, half);
        }
      }
    }
  }
}

TEST(Sphere, ABandsPotentialSeesItsOwnPoints) {
  const GridShape shape{8, 9, 10};
  const Expected expected = expected_values(shape, false, 2);
  Mine<Wide> mine(expected, Spread::cyclic, 2);
  for (const auto decomposition : all_decompositions) {
    SphereFft<Wide> fft(MPI_COMM_WORLD, shape, mine.waves, {.decomposition = decomposition});
    auto out = mine.coefficients;
    double worst = 0;
    fft.round_trip(mine.coefficients, out, 2, [&](std::int64_t band, const Box& box, const View<Wide>& values) {
      for (std::int64_t y = 0; y < box.size(1); ++y) {
        for (std::int64_t x = 0; x < box.size(0); ++x) {
          const auto at = static_cast<std::size_t>(x + shape.nx * (box.axis[1].low + y + shape.ny * box.axis[2].low));
          worst = std::max(worst, std::abs(values(x, y, 0) - expected.grid[static_cast<std::size_t>(band)][at]));
        }
      }
      compared(box.volume());
    });
    EXPECT_LE(worst, 1e-11);
  }
}

/// Compares bits for all algorithms, decompositions, windows and threads. density_test compares different numbers of
/// ranks.
TEST(Sphere, ReproducibleToTheLastBit) {
  const GridShape shape{12, 10, 9};
  const Expected expected = expected_values(shape, false, 2);
  Mine<Wide> mine(expected, Spread::blocks, 2);
  std::vector<Wide> reference;
  for (const Algorithm algorithm : ways_here()) {
    for (const auto decomposition : all_decompositions) {
      for (const int threads : {1, 3}) {
        const FftOptions options{.policy = {.algorithm = algorithm, .window = threads},
                                 .decomposition = decomposition,
                                 .threads = threads,
                                 .reproducible = true};
        SphereFft<Wide> fft(MPI_COMM_WORLD, shape, mine.waves, options);
        std::vector<Wide> out(mine.coefficients.size());
        fft.round_trip(mine.coefficients, out, 2, [](std::int64_t, const Box& box, const View<Wide>& values) {
          for (std::int64_t y = 0; y < box.size(1); ++y) {
            for (std::int64_t x = 0; x < box.size(0); ++x)
              values(x, y, 0) *= 1.0 / static_cast<double>(3 + x + box.axis[1].low + y);
          }
        });
        if (reference.empty()) reference = out;
        expect_equal(out, reference);
      }
    }
  }
}

}  // namespace
}  // namespace seiche::testing
