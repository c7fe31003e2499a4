// SPDX-License-Identifier: BSD-3-Clause
/// \file  Density matrices of random sparse K and S, real and complex, against LAPACK.
#include <complex>
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
const BlockSizes blocks{7, 3, 13, 5, 1, 9, 12, 54, 10, 6};
constexpr int n = 120, occupied = 40;

/// The states of K C = S C E.
template <class Value>
struct States : testing::DenseStates<Value> {
  States(const std::vector<Value>& k, const std::vector<Value>& s) : testing::DenseStates<Value>(n, k, s) {}

  std::vector<Value> density(int per_state) const {
    return this->sum([&](std::size_t state) { return state < occupied ? per_state : 0; });
  }
  double energy(int per_state) const {
    double sum = 0;
    for (int state = 0; state < occupied; ++state) sum += per_state * this->levels[static_cast<std::size_t>(state)];
    return sum;
  }
};

/// Returns a hermitian matrix of random elements that decay, in some of the blocks. Each third function has its own
/// element of the diagonal.
template <class Value>
BlockMatrix<Value> hermitian(const SharedLayout& layout, std::uint64_t seed, double size, double third, double others) {
  return from_function<Value>(
      layout,
      [&](std::int32_t i, std::int32_t j) {
        return i == j || testing::noise(std::min(i, j), std::max(i, j), seed) > -0.3;
      },
      [&](std::int64_t row, std::int64_t column) {
        const Value random =
            testing::number<Value>(row, column, seed) + conjugate(testing::number<Value>(column, row, seed));
        const double diagonal = row % 3 == 0 ? third : others;
        return 0.5 * size * random + (row == column ? diagonal : 0.0);
      });
}

/// K and S with a gap above a third of the states.
template <class Value>
struct Problem {
  SharedLayout layout;
  BlockMatrix<Value> k, s;

  explicit Problem(MPI_Comm comm = MPI_COMM_WORLD)
      : layout(make_layout(comm, blocks, blocks)),
        k(hermitian<Value>(layout, 1, 0.3, -2, 1)),
        s(hermitian<Value>(layout, 2, 0.1, 1, 1)) {}
  States<Value> states() const { return {to_dense(k), to_dense(s)}; }
};

template <class Value>
void check(const DensityMatrixOf<Value>& found, const States<Value>& exact, int per_state, double eps) {
  EXPECT_LE(distance(to_dense(found.p), exact.density(per_state)), found.error_bound);
  EXPECT_LE(found.error_bound, 1e-7 + 1e6 * eps);
  EXPECT_LE(found.idempotency, found.error_bound);
  EXPECT_NEAR(found.norm, frobenius_norm(found.p), 1e-12);
  EXPECT_NEAR(found.trace, per_state * occupied, 1e-9 + 100 * eps);
  EXPECT_NEAR(found.energy, exact.energy(per_state), 1e-8 + 1e3 * eps);
  EXPECT_GE(found.homo, exact.levels[occupied - 1]);
  EXPECT_LE(found.lumo, exact.levels[occupied]);
  EXPECT_GT(found.lumo, found.homo);
  EXPECT_EQ(found.p.layout().row_sizes, blocks);
  for (const float norm : found.p.norms()) EXPECT_GE(norm, eps);
}

template <class Value>
class PurifyDense : public ::testing::Test {};
using DoublePrecision = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(PurifyDense, DoublePrecision);

TYPED_TEST(PurifyDense, FindsTheStatesOfLapack) {
  const Problem<TypeParam> problem;
  const auto exact = problem.states();
  for (const Purifier purifier : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    for (const auto& [eps, per_state] : {std::pair(0.0, 2), std::pair(1e-9, 1), std::pair(1e-6, 2)}) {
      SCOPED_TRACE(name_of(purifier) + ", eps " + std::to_string(eps));
      PurifyOptions options;
      options.purifier = purifier;
      options.product.eps = eps;
      options.electrons_per_state = per_state;
      check(purify(problem.k, problem.s, per_state * occupied, options), exact, per_state, eps);
    }
  }
}

TYPED_TEST(PurifyDense, RootIsThatOfLapack) {
  const Problem<TypeParam> problem;
  std::vector<TypeParam> unit(n * n);
  for (std::size_t i = 0; i < n; ++i) unit[i * (n + 1)] = 1;
  const States<TypeParam> of_s(to_dense(problem.s), unit);
  const auto exact = of_s.sum([&](std::size_t state) { return 1 / std::sqrt(of_s.levels[state]); });
  Multiplier multiply;
  EXPECT_LE(distance(to_dense(inverse_square_root(problem.s, multiply)), exact), 1e-11);
}

TYPED_TEST(PurifyDense, TakesStoredTriangles) {
  const Problem<TypeParam> problem;
  const auto triangle = [&](const BlockMatrix<TypeParam>& whole) {
    BlockMatrix<TypeParam> upper(problem.layout, Symmetry::hermitian);
    std::vector<BlockPlace> places;
    const auto each = [&](const auto& work) {
      each_block(whole, [&](const StoredBlock& b) {
        if (b.at.row <= b.at.column) work(b);
      });
    };
    each([&](const StoredBlock& b) { places.push_back(b.at); });
    upper.reserve(places);
    each([&](const StoredBlock& b) {
      const auto values = whole.values().subspan(b.offset, b.size());
      std::copy(values.begin(), values.end(), upper.change_block(b.at.row, b.at.column).data);
    });
    return upper;
  };
  const auto whole = purify(problem.k, problem.s, 2 * occupied);
  const auto halves = purify(triangle(problem.k), triangle(problem.s), 2 * occupied);
  EXPECT_EQ(distance(to_dense(halves.p), to_dense(whole.p)), 0);
}

TYPED_TEST(PurifyDense, IsTheSameToTheLastBitOnAnyRanks) {
  const auto run = [&](MPI_Comm comm, int threads) {
    const Problem<TypeParam> problem(comm);
    PurifyOptions options;
    options.product.eps = 1e-7;
    options.product.layers = 1;
    options.product.threads = threads;
    return to_dense(purify(problem.k, problem.s, 2 * occupied, options).p);
  };
  const auto alone = run(MPI_COMM_SELF, 1), here = run(MPI_COMM_WORLD, 2);
  EXPECT_EQ(std::memcmp(alone.data(), here.data(), alone.size() * sizeof(TypeParam)), 0);
  compared(static_cast<std::int64_t>(alone.size()));
}

BlockMatrix<Complex> complex_of(const BlockMatrix<double>& real) {
  BlockMatrix<Complex> complex(real.shared_layout());
  std::vector<BlockPlace> places;
  each_block(real, [&](const StoredBlock& b) { places.push_back(b.at); });
  complex.reserve(std::move(places));
  std::copy(real.values().begin(), real.values().end(), complex.change_values().begin());
  return complex;
}

TEST(PurifyComplex, OfRealMatricesGivesTheSame) {
  const Problem<double> problem;
  const auto k = complex_of(problem.k), s = complex_of(problem.s);
  for (const Purifier purifier : {Purifier::trs4, Purifier::tc2, Purifier::mcweeny, Purifier::sign}) {
    PurifyOptions options;
    options.purifier = purifier;
    options.product.eps = 0;
    const auto real = purify(problem.k, problem.s, 2 * occupied, options);
    const auto complex = purify(k, s, 2 * occupied, options);
    EXPECT_LE(distance(to_dense(complex.p), to_dense(complex_of(real.p))), 1e-11) << name_of(purifier);
    EXPECT_NEAR(complex.energy, real.energy, 1e-10);
  }
}

/// Returns a copy with another element (0, 1), which only its owner has.
template <class Value>
BlockMatrix<Value> with_element(BlockMatrix<Value> matrix, Value element) {
  if (const auto block = matrix.change_block(0, 0)) block(0, 1) = element;
  return matrix;
}

TEST(PurifyComplex, WrongMatricesAreNamed) {
  const Problem<Complex> problem;
  const auto &k = problem.k, &s = problem.s;
  const auto refused = [](const std::string& text, const BlockMatrix<Complex>& ks, const BlockMatrix<Complex>& overlap,
                          const PurifyOptions& options = {}, double electrons = 2 * occupied) {
    expect_error(Fault::bad_argument, text, [&] { purify(ks, overlap, electrons, options); });
  };
  refused("K is not hermitian (|K - K^H| is ", with_element(k, Complex(0.1, 0.2)), s);
  refused("S is not hermitian (|S - S^H| is ", k, with_element(s, Complex(0, 0.2)));
  refused("K has elements that are not finite", with_element(k, Complex(0, std::nan(""))), s);
  auto indefinite = s, zero = s;
  add_to_diagonal(indefinite, -1);
  scale(zero, 0);
  refused("the overlap matrix is not positive definite", k, indefinite);
  refused("no positive eigenvalue", k, zero);
  auto symmetric = add(1, s, 1, redistribute(s, problem.layout, Transpose::yes));
  scale(symmetric, Complex(1, 1));
  refused("S is not hermitian", k, symmetric);
  refused("do not fill states in pairs", k, s, {}, 33);
  refused("has 120 functions", k, s, {}, 242);
  refused("instead of 40; there may be no gap", s, s);
  PurifyOptions hasty, small;
  hasty.max_iterations = 3;
  small.product.policy.memory = 100;
  refused("S^(-1/2) has not converged in 3 iterations", k, s, hasty);
  refused("limit of 100", k, s, small);
}

TEST(PurifyComplex, SpectrumIsThatOfLapack) {
  const Problem<Complex> problem;
  std::vector<Complex> unit(n * n);
  for (std::size_t i = 0; i < n; ++i) unit[i * (n + 1)] = 1;
  const States<Complex> exact(to_dense(problem.k), unit);
  const Interval found = spectrum(problem.k);
  EXPECT_LE(found.low, exact.levels.front());
  EXPECT_GE(found.high, exact.levels.back());
  EXPECT_LE(found.norm(), 20);
  compared(3);
}

}  // namespace
}  // namespace seiche
