// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices of a model whose exact one is known.
#include "seiche/purify.hpp"

#include <cstring>

#include "support/mpi_test.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;

/// A ring of sites in an orthogonal basis U (a product of rotations of neighbours), deformed by a known root of S:
/// S = L L^T with L = 1 + small shifts, K = L U D U^T L^T. Then P = 2 L^-T U_occ U_occ^T L^-1, all known in closed form
/// up to the inverse of L, which is a short chain.
struct Model {
  static constexpr int n = 60;
  std::vector<double> s, k, p;  // dense, column-major

  static double& at(std::vector<double>& m, int i, int j) { return m[static_cast<std::size_t>(j * n + i)]; }

  Model() : s(n * n, 0.0), k(n * n, 0.0), p(n * n, 0.0) {
    // U = (1 - 2 v v^T)(1 - 2 w w^T), exactly orthogonal up to rounding; v, w decay
    std::vector<double> u(n * n, 0.0);
    for (int i = 0; i < n; ++i) at(u, i, i) = 1;
    for (const double centre : {11.0, 33.0, 47.0, 20.0}) {
      std::vector<double> v(n);
      double norm = 0;
      for (int i = 0; i < n; ++i) {
        v[static_cast<std::size_t>(i)] = std::exp(-0.2 * std::abs(i - centre));
        norm += v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)];
      }
      for (int j = 0; j < n; ++j) {
        double dot = 0;
        for (int i = 0; i < n; ++i) dot += v[static_cast<std::size_t>(i)] * at(u, i, j);
        for (int i = 0; i < n; ++i) at(u, i, j) -= 2 / norm * dot * v[static_cast<std::size_t>(i)];
      }
    }
    // L is lower bidiagonal with 1 on the diagonal and c below it: (L^-1)_ij = (-c)^(i-j)
    constexpr double c = 0.3;
    const auto transform = [&](const std::vector<double>& diagonal, bool inverse, std::vector<double>& into) {
      std::vector<double> x(n * n, 0.0);  // U D^1/2-free: columns of (L or L^-T) U
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          double sum = 0;
          if (inverse) {  // L^-T: row i sums over rows m >= i
            for (int m = i; m < n; ++m) sum += std::pow(-c, m - i) * at(u, m, j);
          } else {
            sum = at(u, i, j) + (i > 0 ? c * at(u, i - 1, j) : 0);
          }
          at(x, i, j) = sum;
        }
      }
      for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
          for (int j = 0; j < n; ++j)
            at(into, a, b) += at(x, a, j) * diagonal[static_cast<std::size_t>(j)] * at(x, b, j);
        }
      }
    };
    std::vector<double> levels(n), ones(n, 1.0), filled(n, 0.0);
    for (int j = 0; j < n; ++j) {
      const bool occ = j % 7 < 2;  // 18 of 60, one of them emptied
      const bool is_occupied = occ && j != 56;
      levels[static_cast<std::size_t>(j)] = is_occupied ? -2 - 0.05 * j : 1.5 + 0.1 * j;
      filled[static_cast<std::size_t>(j)] = is_occupied ? 2 : 0;
    }
    transform(ones, false, s);
    transform(levels, false, k);
    transform(filled, true, p);
  }
};

const BlockSizes model_blocks{7, 3, 13, 5, 1, 9, 12, 10};

BlockMatrix<double> blocks_of(const std::vector<double>& dense, const SharedLayout& layout) {
  return from_function<double>(
      layout, [](std::int32_t, std::int32_t) { return true; },
      [&](std::int64_t row, std::int64_t column) { return dense[static_cast<std::size_t>(column * Model::n + row)]; });
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  compared(static_cast<std::int64_t>(x.size()));
  return std::sqrt(sum);
}

constexpr int occupied = 17;

/// Electrons that fill all functions: P is n times the inverse of S, and no state is empty.
TEST(Purify, FullBasisGivesTheInverseOfTheOverlap) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto k = blocks_of(model.k, layout), s = blocks_of(model.s, layout);
  for (const Purifier purifier : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    for (const int per_state : {1, 2}) {
      PurifyOptions options;
      options.purifier = purifier;
      options.electrons_per_state = per_state;
      const auto found = purify(k, s, per_state * Model::n, options);
      const auto p = to_dense(found.p);
      double off = 0;  // |P S - n|
      for (int column = 0; column < Model::n; ++column) {
        for (int row = 0; row < Model::n; ++row) {
          double sum = row == column ? -per_state : 0;
          for (int i = 0; i < Model::n; ++i) {
            sum += p[static_cast<std::size_t>(i * Model::n + row)] *
                   model.s[static_cast<std::size_t>(column * Model::n + i)];
          }
          off += sum * sum;
        }
      }
      EXPECT_LT(std::sqrt(off), 1e-6) << name_of(purifier);
      EXPECT_LT(found.error_bound, 1e-5) << name_of(purifier);
      EXPECT_NEAR(found.trace, per_state * Model::n, 1e-7);
      EXPECT_EQ(found.lumo, std::numeric_limits<double>::infinity());
      EXPECT_GE(found.homo, 1.5 + 0.1 * (Model::n - 1));
      compared(5);
    }
  }
}

TEST(Purify, FindsTheKnownDensityMatrix) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto k = blocks_of(model.k, layout), s = blocks_of(model.s, layout);
  double energy = 0;
  for (std::size_t i = 0; i < model.k.size(); ++i) energy += model.k[i] * model.p[i];
  for (const Purifier purifier : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    for (const double eps : {0.0, 1e-9, 1e-6}) {
      PurifyOptions options;
      options.purifier = purifier;
      options.product.eps = eps;
      options.product.threads = 2;
      const auto found = purify(k, s, 2 * occupied, options);
      const double off = distance(to_dense(found.p), model.p);
      EXPECT_LE(off, found.error_bound) << name_of(purifier) << " " << eps;
      EXPECT_LE(found.idempotency, found.error_bound);
      EXPECT_NEAR(found.trace, 2 * occupied, 1e-9 + 100 * eps);
      EXPECT_NEAR(found.energy, energy, 1e-8 + 1e3 * eps);
      EXPECT_LE(found.error_bound, 1e-7 + 1e6 * eps) << name_of(purifier) << " " << eps;
      EXPECT_LE(found.homo, 1.5);
      EXPECT_GE(found.homo, -2.0001);
      EXPECT_LE(found.lumo, 1.7001);
      EXPECT_GT(found.lumo, found.homo);
    }
  }
}

TEST(Purify, OfOneSpinStatesHoldOneElectron) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto k = blocks_of(model.k, layout), s = blocks_of(model.s, layout);
  std::vector<double> half = model.p;
  for (double& value : half) value /= 2;
  for (const Purifier purifier : {Purifier::trs4, Purifier::sign}) {
    PurifyOptions options;
    options.purifier = purifier;
    options.electrons_per_state = 1;
    const auto found = purify(k, s, occupied, options);  // an odd number
    EXPECT_LE(distance(to_dense(found.p), half), found.error_bound);
    EXPECT_LE(found.error_bound, 1e-5);
    EXPECT_LE(found.idempotency, found.error_bound);
    EXPECT_NEAR(found.trace, occupied, 1e-8);
  }
}

/// Single functions, and one block of all of them: computed in other blocks, P comes in the user's.
TEST(Purify, TakesBlocksOfAnySize) {
  const Model model;
  for (const BlockSizes& sizes : {BlockSizes(60, 1), BlockSizes{60}, BlockSizes{1, 57, 1, 1}}) {
    const SharedLayout layout = make_layout(MPI_COMM_WORLD, sizes, sizes);
    for (const double eps : {1e-9, 1e-4}) {
      PurifyOptions options;
      options.product.eps = eps;
      const auto found = purify(blocks_of(model.k, layout), blocks_of(model.s, layout), 2 * occupied, options);
      EXPECT_EQ(found.p.layout().row_sizes, sizes);
      for (const float norm : found.p.norms()) EXPECT_GE(norm, eps);
      EXPECT_LE(distance(to_dense(found.p), model.p), found.error_bound) << sizes.size() << " " << eps;
      EXPECT_NEAR(found.trace, 2 * occupied, 1e-9 + 100 * eps);
      EXPECT_NEAR(found.norm, frobenius_norm(found.p), 1e-12);
      EXPECT_LE(found.error_bound, 1e-7 + 1e6 * eps);
    }
  }
}

TEST(Purify, IsTheSameToTheLastBitOnAnyRanks) {
  const Model model;
  const auto run = [&](MPI_Comm comm, int threads) {
    const SharedLayout layout = make_layout(comm, model_blocks, model_blocks);
    PurifyOptions options;
    options.product.eps = 1e-7;
    options.product.layers = 1;
    options.product.threads = threads;
    return to_dense(purify(blocks_of(model.k, layout), blocks_of(model.s, layout), 2 * occupied, options).p);
  };
  const auto alone = run(MPI_COMM_SELF, 1), here = run(MPI_COMM_WORLD, 2);
  EXPECT_EQ(std::memcmp(alone.data(), here.data(), alone.size() * sizeof(double)), 0);
  compared(static_cast<std::int64_t>(alone.size()));
}

TEST(Purify, RootTurnsTheOverlapIntoOne) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto s = blocks_of(model.s, layout);
  Multiplier multiply;
  const auto z = to_dense(inverse_square_root(s, multiply));
  constexpr int n = Model::n;
  std::vector<double> one(n * n, 0.0), zs(n * n, 0.0), zsz(n * n, 0.0);
  const auto at = [](int i, int j) { return static_cast<std::size_t>(j * n + i); };
  for (int i = 0; i < n; ++i) {
    one[at(i, i)] = 1;
    for (int j = 0; j < n; ++j) {
      for (int m = 0; m < n; ++m) zs[at(i, j)] += z[at(i, m)] * model.s[at(m, j)];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int m = 0; m < n; ++m) zsz[at(i, j)] += zs[at(i, m)] * z[at(m, j)];
    }
  }
  EXPECT_LE(distance(zsz, one), 1e-11);
}

/// Iterations are heard stage by stage, counted from 1, and each stage ends with a small residual.
TEST(Purify, ProgressIsHeard) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  for (const Purifier purifier : {Purifier::trs4, Purifier::sign}) {
    std::vector<std::pair<PurifyStage, int>> heard;
    double last = 1;
    PurifyOptions options;
    options.purifier = purifier;
    options.on_progress = [&](PurifyStage stage, int iteration, double residual) {
      if (iteration == 1 && !heard.empty()) {
        EXPECT_LE(last, 1e-6);
      }
      EXPECT_EQ(iteration, iteration == 1 ? 1 : heard.back().second + 1);
      heard.emplace_back(stage, iteration);
      last = residual;
    };
    const auto found = purify(blocks_of(model.k, layout), blocks_of(model.s, layout), 2 * occupied, options);
    const auto of = [&](PurifyStage stage) {
      return std::count_if(heard.begin(), heard.end(), [&](const auto& one) { return one.first == stage; });
    };
    EXPECT_EQ(of(PurifyStage::overlap_root), found.root_iterations);
    EXPECT_EQ(of(PurifyStage::chemical_potential) > 0, purifier == Purifier::sign);
    EXPECT_EQ(of(PurifyStage::purification), found.iterations);
    EXPECT_LE(last, 1e-6);
    compared(static_cast<std::int64_t>(heard.size()));
  }
}

/// A bound that is as large as P itself is told from one that says something.
TEST(Purify, BoundIsOfUseOrNot) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  double norm = 0;
  for (const double p : model.p) norm += p * p;
  for (const double eps : {1e-9, 5e-3}) {
    PurifyOptions options;
    options.product.eps = eps;
    const auto found = purify(blocks_of(model.k, layout), blocks_of(model.s, layout), 2 * occupied, options);
    EXPECT_NEAR(found.norm, std::sqrt(norm), 1e-4 + eps);
    EXPECT_EQ(is_useful(found), eps == 1e-9) << found.error_bound;
    compared(2);
  }
}

TEST(Purify, TakesWhatItIsGivenForExact) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto k = blocks_of(model.k, layout), s = blocks_of(model.s, layout);
  Multiplier multiply;
  BlockMatrix<double> computed(layout), one(layout);
  add_to_diagonal(one, 1.0);
  multiply(Product<double>{k, one}, computed);
  EXPECT_GT(computed.error_bound(), 0);
  EXPECT_EQ(purify(computed, s, 34).error_bound, purify(k, s, 34).error_bound);
  compared(2);
}

TEST(Spectrum, LiesInTheCirclesOfTheRows) {
  const BlockSizes sizes{1, 1, 2, 1};
  const auto m = from_function<double>(
      make_layout(MPI_COMM_WORLD, sizes, sizes), [](std::int32_t, std::int32_t) { return true; },
      [](std::int64_t i, std::int64_t j) {
        return i != j ? 0.25 : i == 0 ? -3.0 : i == 4 ? 7.0 : 2.0;
      });
  const Interval found = spectrum(m);
  EXPECT_LE(found.low, -4);
  EXPECT_GE(found.low, -4 * 1.002);  // rounded outwards to 11 bits
  EXPECT_GE(found.high, 8);
  EXPECT_LE(found.high, 8 * 1.002);
  compared(4);
}

TEST(Purify, WrongInputIsNamed) {
  const Model model;
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, model_blocks, model_blocks);
  const auto k = blocks_of(model.k, layout), s = blocks_of(model.s, layout);
  const auto with = [&](double electrons, const BlockMatrix<double>& ks, const BlockMatrix<double>& overlap,
                        PurifyOptions options = {}) { purify(ks, overlap, electrons, options); };
  expect_error(Fault::bad_argument, "do not fill states in pairs", [&] { with(33, k, s); });
  expect_error(Fault::bad_argument, "do not fill states in pairs", [&] { with(-2, k, s); });
  expect_error(Fault::bad_argument, "0 electrons do not fill states in pairs", [&] { with(0, k, s); });
  PurifyOptions one_spin, three;
  one_spin.electrons_per_state = 1;
  three.electrons_per_state = 3;
  expect_error(Fault::bad_argument, "must be a positive integer (got 1.5)", [&] { with(1.5, k, s, one_spin); });
  expect_error(Fault::bad_argument, "invalid number of electrons per state (3)", [&] { with(34, k, s, three); });
  expect_error(Fault::bad_argument, "has 60 functions", [&] { with(122, k, s); });
  auto skewed = model.s;
  skewed[5] += 0.01;
  expect_error(Fault::bad_argument, "S is not symmetric", [&] { with(34, k, blocks_of(skewed, layout)); });
  expect_error(Fault::bad_argument, "K is not symmetric", [&] { with(34, blocks_of(skewed, layout), s); });
  auto hollow = model.s;
  hollow[0] = -3;
  expect_error(Fault::bad_argument, "not positive definite", [&] { with(34, k, blocks_of(hollow, layout)); });
  std::vector<double> nothing(model.s.size(), 0.0);
  expect_error(Fault::bad_argument, "no positive eigenvalue", [&] { with(34, k, blocks_of(nothing, layout)); });
  auto broken = model.k;
  broken[7] = std::nan("");
  expect_error(Fault::bad_argument, "not finite", [&] { with(34, blocks_of(broken, layout), s); });
  PurifyOptions hasty;
  hasty.max_iterations = 12;
  hasty.purifier = Purifier::tc2;
  expect_error(Fault::bad_argument,
               "the purification has not converged in 12 iterations (|X^2 - X| = ", [&] { with(34, k, s, hasty); });
  expect_error(Fault::bad_argument, ": allow more (default: 100)", [&] { with(34, k, s, hasty); });
  hasty.max_iterations = 3;
  expect_error(Fault::bad_argument, "S^(-1/2) has not converged in 3 iterations", [&] { with(34, k, s, hasty); });
  expect_error(Fault::bad_argument, ": allow more (default: 100)", [&] { with(34, k, s, hasty); });
  PurifyOptions small;
  small.product.policy.memory = 100;
  expect_error(Fault::bad_argument, "limit of 100", [&] { with(34, k, s, small); });
  // K = S: all levels are equal
  expect_error(Fault::bad_argument, "instead of 17; there may be no gap", [&] { with(34, s, s); });
  expect_error(Fault::bad_argument, "unknown purification 'magic'", [] { purifier_named("magic"); });
  const auto other = blocks_of(model.s, make_layout(MPI_COMM_WORLD, BlockSizes(60, 1), BlockSizes(60, 1)));
  expect_error(Fault::bad_argument, "with the same block sizes", [&] { with(34, k, other); });
}

}  // namespace
}  // namespace seiche
