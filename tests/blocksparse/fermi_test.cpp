// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices with Fermi-Dirac occupations, against occupations of the levels of LAPACK.
#include <cstring>

#include "blocksparse/dense_states.hpp"
#include "seiche/purify.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::distance;
using testing::expect_error;
using Complex = std::complex<double>;

/// purify() merges the small blocks, and cuts the large one.
const BlockSizes chain_blocks{7, 3, 13, 5, 1, 9, 12, 41, 10};
constexpr std::size_t chain_length = 101;

/// A chain without a gap: elements of K and S are random, between neighbours up to the third.
template <class Value>
BlockMatrix<Value> chain(const SharedLayout& layout, std::uint64_t seed, double diagonal, double disorder,
                         double between) {
  return from_function<Value>(
      layout, [](std::int32_t i, std::int32_t j) { return std::abs(i - j) <= 3; },
      [=](std::int64_t row, std::int64_t column) -> Value {
        const std::int64_t far = std::abs(row - column), first = std::min(row, column);
        if (far == 0) return diagonal + disorder * testing::noise(row, row, seed);
        if (far > 3) return 0;
        const double size = between / static_cast<double>(far * far) * (1 + 0.2 * testing::noise(first, far, seed));
        if constexpr (is_complex<Value>) {
          const Value phase = std::polar(1.0, testing::noise(first, far, seed + 1));
          return size * (row < column ? phase : conjugate(phase));
        } else {
          return size;
        }
      });
}

template <class Value>
struct Metal {
  SharedLayout layout;
  BlockMatrix<Value> k, s;

  explicit Metal(MPI_Comm comm = MPI_COMM_WORLD)
      : layout(make_layout(comm, chain_blocks, chain_blocks)),
        k(chain<Value>(layout, 1, -0.1, 0.1, -0.4)),
        s(chain<Value>(layout, 2, 1, 0, 0.12)) {}
  testing::DenseStates<Value> states() const { return {chain_length, to_dense(k), to_dense(s)}; }
};

/// Occupations of levels whose sum is a given number.
struct Occupations {
  std::vector<double> f;
  double potential = 0, entropy = 0;

  Occupations(const std::vector<double>& levels, double states, double temperature) {
    long double low = levels.front() - 100 * temperature, high = levels.back() + 100 * temperature;
    for (int n = 0; n < 200; ++n) {
      const long double middle = 0.5L * (low + high);
      long double sum = 0;
      for (const double level : levels) sum += 1 / (1 + std::exp((level - middle) / temperature));
      (sum < states ? low : high) = middle;
    }
    potential = static_cast<double>(low);
    long double of_all = 0;
    for (const double level : levels) {
      const long double y = (low - level) / temperature, full = 1 / (1 + std::exp(-y)), empty = 1 / (1 + std::exp(y));
      f.push_back(static_cast<double>(full));
      if (full > 0 && empty > 0) of_all -= full * std::log(full) + empty * std::log(empty);
    }
    entropy = static_cast<double>(of_all);
  }
};

struct Setting {
  double width_in_temperatures, states, eps;
  int per_state;
};

template <class Value>
PurifyReport check(const Metal<Value>& metal, const testing::DenseStates<Value>& exact, const Setting& set) {
  const double width = exact.levels.back() - exact.levels.front();
  PurifyOptions options;
  options.temperature = width / set.width_in_temperatures;
  options.product.eps = set.eps;
  options.electrons_per_state = set.per_state;
  const Occupations filled(exact.levels, set.states, options.temperature);
  const auto found = purify(metal.k, metal.s, set.per_state * set.states, options);
  const auto p = exact.sum([&](std::size_t state) { return set.per_state * filled.f[state]; });
  double energy = 0;
  for (std::size_t state = 0; state < chain_length; ++state)
    energy += set.per_state * filled.f[state] * exact.levels[state];
  const double off = distance(to_dense(found.p), p), harder = 1 + set.width_in_temperatures;
  EXPECT_LE(off, found.error_bound);
  EXPECT_LE(off, 1e-13 * harder + 100 * set.eps * harder);
  if (set.states > 1) {  // the bound is large if nearly all states are empty
    EXPECT_LE(found.error_bound, 1e-9 * harder + 1e5 * set.eps * harder);
  }
  EXPECT_NEAR(found.norm, frobenius_norm(found.p), 1e-12);
  EXPECT_NEAR(found.trace, set.per_state * set.states, 1e-10 + 100 * set.eps);
  EXPECT_NEAR(found.energy, energy, 1e-10 + 100 * set.eps);
  EXPECT_NEAR(found.entropy, set.per_state * filled.entropy, 1e-8 + 100 * set.eps);
  EXPECT_NEAR(found.chemical_potential, filled.potential, 1e-10 + 100 * set.eps);
  EXPECT_EQ(found.homo, found.chemical_potential);
  EXPECT_EQ(found.lumo, found.chemical_potential);
  EXPECT_EQ(found.p.error_bound(), found.error_bound);
  EXPECT_EQ(found.p.layout().row_sizes, chain_blocks);
  return found;
}

template <class Value>
class Fermi : public ::testing::Test {};
using DoublePrecision = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(Fermi, DoublePrecision);

TYPED_TEST(Fermi, OccupiesTheLevelsOfLapack) {
  const Metal<TypeParam> metal;
  const auto exact = metal.states();
  for (const Setting& set :
       {Setting{0.1, 40, 0, 2}, Setting{2, 50.5, 0, 2}, Setting{2, 99.9, 1e-10, 1}, Setting{20, 33.3, 0, 1},
        Setting{20, 50.5, 1e-6, 2}, Setting{200, 17, 1e-10, 2}, Setting{200, 0.25, 0, 1}, Setting{2000, 50.5, 0, 2},
        Setting{2000, 70.4, 1e-10, 1}, Setting{2000, 30.2, 1e-6, 1}}) {
    SCOPED_TRACE("width / T " + std::to_string(set.width_in_temperatures) + ", eps " + std::to_string(set.eps));
    check(metal, exact, set);
  }
}

/// The bound is below 1 % of P, for exact products and for a filter of usual size.
TYPED_TEST(Fermi, BoundIsUseful) {
  const Metal<TypeParam> metal;
  const auto exact = metal.states();
  EXPECT_TRUE(is_useful(check(metal, exact, {200, 50.5, 0, 2})));
  EXPECT_TRUE(is_useful(check(metal, exact, {2, 50.5, 1e-7, 2})));
}

TYPED_TEST(Fermi, IsTheSameToTheLastBitOnAnyRanks) {
  const auto run = [&](MPI_Comm comm) {
    const Metal<TypeParam> metal(comm);
    PurifyOptions options;
    options.temperature = 0.1;
    options.product.eps = 1e-7;
    options.product.layers = 1;
    return to_dense(purify(metal.k, metal.s, 67, options).p);
  };
  const auto alone = run(MPI_COMM_SELF), here = run(MPI_COMM_WORLD);
  EXPECT_EQ(std::memcmp(alone.data(), here.data(), alone.size() * sizeof(TypeParam)), 0);
  compared(static_cast<std::int64_t>(alone.size()));
}

/// Levels -1 (`low` of them) and 1 in an orthogonal basis that is not that of the blocks.
BlockMatrix<double> two_levels(const SharedLayout& layout, std::int64_t low) {
  const auto vector = [](std::int64_t i) { return std::exp(-0.2 * std::abs(static_cast<double>(i - 20))); };
  double norm = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(chain_length); ++i) norm += vector(i) * vector(i);
  const auto level = [=](std::int64_t i) { return i * 7 % 101 < low ? -1.0 : 1.0; };
  double mean = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(chain_length); ++i)
    mean += level(i) * vector(i) * vector(i) / norm;
  // (1 - 2 v v^T) D (1 - 2 v v^T)
  return from_function<double>(
      layout, [](std::int32_t, std::int32_t) { return true; },
      [=](std::int64_t i, std::int64_t j) {
        const double vv = vector(i) * vector(j) / norm;
        return (i == j ? level(i) : 0) - 2 * vv * (level(i) + level(j) - 2 * mean);
      });
}

BlockMatrix<double> unit(const SharedLayout& layout) {
  BlockMatrix<double> one(layout);
  add_to_diagonal(one, 1.0);
  return one;
}

/// At a temperature far below the gap, occupations are those of the projector, with any filter.
TEST(FermiOfInsulator, IsTheProjector) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, chain_blocks, chain_blocks);
  const auto k = two_levels(layout, 37), s = unit(layout);
  for (const double eps : {0.0, 1e-9, 1e-5}) {
    PurifyOptions options;
    options.product.eps = eps;
    const auto cold = purify(k, s, 74, options);
    for (const double temperature : {0.03, 1e-5}) {
      options.temperature = temperature;
      const auto found = purify(k, s, 74, options);
      EXPECT_LE(distance(to_dense(found.p), to_dense(cold.p)), found.error_bound + cold.error_bound);
      EXPECT_NEAR(found.trace, 74, 1e-9 + 1000 * eps);
      EXPECT_NEAR(found.entropy, 0, 1e-5 + 100 * eps);
      EXPECT_GT(found.chemical_potential, -1);
      EXPECT_LT(found.chemical_potential, 1);
      EXPECT_LE(found.idempotency, 1e-6 + 1e4 * eps);
    }
  }
}

/// Nearly full, nearly empty and partly filled levels far from each other.
TEST(FermiOfInsulator, FillsLevelsInPart) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, chain_blocks, chain_blocks);
  const auto k = two_levels(layout, 37), s = unit(layout);
  for (const double states : {37.001, 36.99999, 37.0, 12.3, 99.5, 0.25}) {
    PurifyOptions options;
    options.product.eps = 0;
    options.electrons_per_state = 1;
    for (const double temperature : {0.3, 0.01}) {
      options.temperature = temperature;
      const auto found = purify(k, s, states, options);
      std::vector<double> levels(37, -1.0);
      levels.resize(chain_length, 1.0);
      const Occupations filled(levels, states, temperature);
      compared(4);
      EXPECT_NEAR(found.trace, states, 1e-9) << states << " " << temperature;
      const bool nearly_whole = states != 37 && std::abs(states - 37) < 0.1 && temperature < 0.1;
      if (nearly_whole) {
        EXPECT_TRUE(std::isnan(found.entropy)) << states << " " << temperature;
      } else {
        EXPECT_NEAR(found.entropy, filled.entropy, 1e-8) << states << " " << temperature;
      }
      EXPECT_NEAR(found.energy, -37 * filled.f.front() + 64 * filled.f.back(), 1e-8) << states << " " << temperature;
      if (states != 37) {
        EXPECT_NEAR(found.chemical_potential, filled.potential, nearly_whole ? 1e-4 : 1e-6)
            << states << " " << temperature;
      }
    }
  }
}

/// Equal levels have equal occupations, whatever the temperature.
TEST(FermiOfInsulator, LevelsMayBeEqual) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, chain_blocks, chain_blocks);
  auto s = unit(layout), zero = s;
  scale(s, 4.0);
  scale(zero, 0.0);
  const double part = 0.3, entropy = -part * std::log(part) - (1 - part) * std::log(1 - part);
  for (const auto& [k, level] : {std::pair(s, 1.0), std::pair(zero, 0.0)}) {
    for (const double temperature : {1e-3, 1e3, 1e100}) {
      PurifyOptions options;
      options.temperature = temperature;
      const auto found = purify(k, s, 2 * part * chain_length, options);
      compared(4);
      EXPECT_NEAR(found.trace, 2 * part * chain_length, 1e-9);
      EXPECT_NEAR(found.energy, 2 * part * chain_length * level, 1e-9);
      EXPECT_NEAR(found.entropy, 2 * entropy * chain_length, 1e-8);
      EXPECT_NEAR(found.chemical_potential, level + temperature * std::log(part / (1 - part)),
                  1e-9 * (1 + temperature));
    }
  }
}

TEST(FermiOfInsulator, ProgressIsHeard) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, chain_blocks, chain_blocks);
  std::vector<double> heard;
  PurifyOptions options;
  options.temperature = 0.1;
  options.on_progress = [&](PurifyStage stage, int iteration, double residual) {
    EXPECT_NE(stage, PurifyStage::chemical_potential);
    if (stage != PurifyStage::purification) return;
    heard.push_back(residual);
    EXPECT_EQ(iteration, static_cast<int>(heard.size()));
  };
  const auto found = purify(two_levels(layout, 37), unit(layout), 60, options);
  EXPECT_EQ(found.iterations, static_cast<int>(heard.size()));
  EXPECT_LE(heard.back(), 1e-3);
  compared(found.iterations);
}

TEST(FermiOfInsulator, WrongInputIsNamed) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, chain_blocks, chain_blocks);
  const auto k = two_levels(layout, 37), s = unit(layout);
  const auto refused = [&](const std::string& text, double temperature, double electrons = 60, int iterations = 100,
                           double eps = 0) {
    PurifyOptions options;
    options.temperature = temperature;
    options.max_iterations = iterations;
    options.product.eps = eps;
    expect_error(Fault::bad_argument, text, [&] { purify(k, s, electrons, options); });
  };
  refused("invalid temperature (-0.5): give a positive, finite value, or 0 for full states", -0.5);
  refused("invalid temperature (nan)", std::nan(""));
  refused("invalid temperature (inf)", std::numeric_limits<double>::infinity());
  refused("temperature 1e-30 is too small for energies between ", 1e-30);
  refused(": use temperature 0", 1e-30);
  refused("must be above 0 and below 202 for 101 functions (got 0)", 0.1, 0);
  refused("must be above 0 and below 202 for 101 functions (got -1.5)", 0.1, -1.5);
  refused("must be above 0 and below 202 for 101 functions (got 202)", 0.1, 202);
  refused("must be above 0 and below 202 for 101 functions (got nan)", 0.1, std::nan(""));
  refused("the occupations have not converged in 6 iterations (their sum is off by ", 1e-3, 60, 6);
  refused("): allow more (default: 100), or use a smaller eps or a higher temperature", 1e-3, 60, 6);
}

TEST(FermiOfMetal, LargeErrorsOfProductsAreNamed) {
  const Metal<double> metal;
  const auto refused = [&](const std::string& text, double eps, double temperature) {
    PurifyOptions options;
    options.temperature = temperature;
    options.product.eps = eps;
    expect_error(Fault::bad_argument, text, [&] { purify(metal.k, unit(metal.layout), 60, options); });
  };
  refused("the occupations diverge (|1 - D Y| = ", 1, 0.03);
  refused("): use a smaller eps", 1, 0.03);
  refused("the occupations sum to ", 0.1, 0.03);
  refused(" instead of 30.000: use a smaller eps", 0.1, 0.03);
}

}  // namespace
}  // namespace seiche
