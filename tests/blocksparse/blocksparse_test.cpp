// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices and their products, against sums over dense elements.
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/product/kernels.hpp"
#include "seiche/block_product.hpp"
#include "support/mpi_test.hpp"
#include "support/transforms.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_equal;
using testing::expect_error;

/// Numbers between -1 and 1 that any rank finds for any element.
double noise(std::int64_t row, std::int64_t column, std::uint64_t seed) {
  std::uint64_t x = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(column) * 0xbf58476d1ce4e5b9U + seed;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebU;
  x ^= x >> 29;
  return static_cast<double>(x % 20011) / 10005.5 - 1;
}

template <class Value>
Value number(std::int64_t row, std::int64_t column, std::uint64_t seed) {
  const double decay = std::exp(-0.15 * static_cast<double>(std::abs(row - column)));
  if constexpr (is_complex<Value>) {
    return Value(static_cast<Real<Value>>(decay * noise(row, column, seed)),
                 static_cast<Real<Value>>(decay * noise(row, column, seed + 77)));
  } else {
    return static_cast<Value>(decay * noise(row, column, seed));
  }
}

bool is_there(std::int32_t i, std::int32_t j, std::uint64_t seed) {
  if (i == 4 || j == 3) return false;  // an empty row and an empty column
  return noise(i, j, seed + 5) > -0.2;
}

BlockSizes mixed(std::size_t n, std::size_t start) {
  const BlockSizes all{13, 5, 5, 1, 23, 2, 7};
  BlockSizes sizes;
  for (std::size_t i = 0; i < n; ++i) sizes.push_back(all[(i + start) % all.size()]);
  return sizes;
}

enum class Distribution { cyclic, random, curve };

SharedLayout layout_of(const BlockSizes& rows, const BlockSizes& columns, Distribution distribution) {
  if (distribution == Distribution::cyclic) return make_layout(MPI_COMM_WORLD, rows, columns);
  const auto grid = square_grid(testing::ranks());
  if (distribution == Distribution::random) {
    return make_layout(MPI_COMM_WORLD, rows, columns, grid, distribute_random(rows, grid[0], 3),
                       distribute_random(columns, grid[1], 4));
  }
  const auto places = [](std::size_t n) {
    std::vector<std::array<double, 3>> all;
    for (std::size_t i = 0; i < n; ++i)
      all.push_back({noise(static_cast<std::int64_t>(i), 0, 1), noise(static_cast<std::int64_t>(i), 1, 1),
                     noise(static_cast<std::int64_t>(i), 2, 1)});
    return all;
  };
  return make_layout(MPI_COMM_WORLD, rows, columns, grid, distribute_along_curve(places(rows.size()), rows, grid[0]),
                     distribute_along_curve(places(columns.size()), columns, grid[1]));
}

template <class Value>
BlockMatrix<Value> sample(const SharedLayout& layout, std::uint64_t seed) {
  return from_function<Value>(
      layout, [&](std::int32_t i, std::int32_t j) { return is_there(i, j, seed); },
      [&](std::int64_t row, std::int64_t column) { return number<Value>(row, column, seed); });
}

/// alpha op(A) op(B) + beta C of dense column-major matrices, in long sums.
template <class Value>
std::vector<Value> dense_product(const Product<Value>& p, const std::vector<Value>& c, std::int64_t m, std::int64_t n,
                                 std::int64_t k) {
  const auto a = to_dense(p.a), b = to_dense(p.b);
  const auto at = [](const std::vector<Value>& x, Transpose op, std::int64_t rows, std::int64_t columns, std::int64_t i,
                     std::int64_t j) {
    if (op == Transpose::no) return x[static_cast<std::size_t>(j * rows + i)];
    const Value v = x[static_cast<std::size_t>(i * columns + j)];
    return op == Transpose::conjugate ? conjugate(v) : v;
  };
  std::vector<Value> result(static_cast<std::size_t>(m * n));
  using Wide = std::conditional_t<is_complex<Value>, std::complex<long double>, long double>;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      Wide sum = 0;
      for (std::int64_t x = 0; x < k; ++x) sum += Wide(at(a, p.op_a, m, k, i, x)) * Wide(at(b, p.op_b, k, n, x, j));
      const auto place = static_cast<std::size_t>(j * m + i);
      result[place] = static_cast<Value>(Wide(p.alpha) * sum + Wide(p.beta) * Wide(c[place]));
    }
  }
  return result;
}

template <class Value>
double distance(const std::vector<Value>& x, const std::vector<Value>& y) {
  long double sum = 0;
  EXPECT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::norm(std::complex<long double>(x[i]) - std::complex<long double>(y[i]));
  compared(static_cast<std::int64_t>(x.size()));
  return static_cast<double>(std::sqrt(sum));
}

std::int64_t sum_of(const BlockSizes& sizes) { return starts_of(sizes).back(); }

template <class Value>
struct Case {
  BlockSizes m = mixed(11, 0), n = mixed(9, 2), k = mixed(13, 4);
  Value alpha = 1, beta = 0;
  Transpose op_a = Transpose::no, op_b = Transpose::no;
  Distribution distribution = Distribution::random;
  ProductOptions options;

  /// The product must lie within its own bound of the dense one, and the bound be what the filter left out and a little
  /// rounding.
  ProductReport check() const {
    const auto shape = [](const BlockSizes& rows, const BlockSizes& columns, Transpose op) {
      return op == Transpose::no ? std::pair(rows, columns) : std::pair(columns, rows);
    };
    const auto [a_rows, a_columns] = shape(m, k, op_a);
    const auto [b_rows, b_columns] = shape(k, n, op_b);
    const auto a = sample<Value>(layout_of(a_rows, a_columns, distribution), 1),
               b = sample<Value>(layout_of(b_rows, b_columns, distribution), 2);
    BlockMatrix<Value> c = sample<Value>(layout_of(m, n, distribution), 3);
    const Product<Value> product{a, b, alpha, beta, op_a, op_b};
    const auto expected = dense_product(product, to_dense(c), sum_of(m), sum_of(n), sum_of(k));
    Multiplier multiply(options);
    const ProductReport report = multiply(product, c);
    const double off = distance(to_dense(c), expected);
    EXPECT_LE(off, report.error);
    EXPECT_GE(report.error, report.filter_error);
    EXPECT_LE(report.error, report.filter_error * (1 + 1e-10) + (std::is_same_v<Real<Value>, double> ? 1e-10 : 1e-1));
    EXPECT_EQ(report.error, c.error_bound());
    return report;
  }
};

template <class Value>
class Products : public ::testing::Test {};
using Values = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Products, Values);

TYPED_TEST(Products, LieWithinTheirBound) {
  Case<TypeParam> plain;
  plain.check();
  for (const Distribution distribution : {Distribution::cyclic, Distribution::curve}) {
    Case<TypeParam> other;
    other.distribution = distribution;
    other.alpha = TypeParam(-2);
    other.beta = TypeParam(0.5);
    other.check();
  }
}

TYPED_TEST(Products, TakeTransposedOperands) {
  for (const Transpose op_a : {Transpose::no, Transpose::yes, Transpose::conjugate}) {
    for (const Transpose op_b : {Transpose::yes, Transpose::conjugate}) {
      Case<TypeParam> turned;
      turned.op_a = op_a;
      turned.op_b = op_b;
      turned.beta = TypeParam(1);
      turned.check();
    }
  }
}

TEST(Product, FilterStaysWithinItsBound) {
  double last = 0;
  for (const double eps : {1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1.0}) {
    Case<double> filtered;
    filtered.options.eps = eps;
    filtered.beta = eps == 1e-6 ? 0.25 : 0;
    const auto report = filtered.check();
    EXPECT_GE(report.filter_error, last);
    EXPECT_LE(report.filter_error, 3 * eps * std::sqrt(11.0 * 9.0));
    last = report.filter_error;
  }
  EXPECT_GT(last, 0);
}

TEST(Product, EmptyMatricesGiveNothing) {
  const BlockSizes sizes = mixed(6, 0);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const BlockMatrix<double> nothing(layout);
  const auto something = sample<double>(layout, 1);
  BlockMatrix<double> c = sample<double>(layout, 2);
  Multiplier multiply;
  multiply(Product<double>{nothing, something}, c);
  EXPECT_EQ(frobenius_norm(c), 0);
  c = sample<double>(layout, 2);
  const auto before = to_dense(c);
  multiply(Product<double>{something, nothing, 2.0, 1.0}, c);
  expect_equal(to_dense(c), before);
}

TEST(Product, WithoutAlphaOnlyScales) {
  Case<double> scaled;
  scaled.alpha = 0;
  scaled.beta = -3;
  EXPECT_EQ(scaled.check().products, 0);
  scaled.beta = 0;
  EXPECT_EQ(scaled.check().error, 0);
}

TEST(Product, IsTheSameToTheLastBitHoweverItIsDone) {
  const BlockSizes m = mixed(17, 0), n = mixed(15, 2), k = mixed(19, 4);
  const auto alone = [&](double eps) {
    const auto self = [](const BlockSizes& rows, const BlockSizes& columns) {
      return make_layout(MPI_COMM_SELF, rows, columns);
    };
    const auto a = sample<double>(self(m, k), 1), b = sample<double>(self(k, n), 2);
    BlockMatrix<double> c = sample<double>(self(m, n), 3);
    ProductOptions options;
    options.eps = eps;
    Multiplier multiply(options);
    multiply(Product<double>{a, b, 0.7, 0.3}, c);
    return to_dense(c);
  };
  for (const double eps : {0.0, 1e-3}) {
    const auto expected = alone(eps);
    for (const Distribution distribution : {Distribution::cyclic, Distribution::random, Distribution::curve}) {
      for (const int threads : {1, 2, 3}) {
        const auto a = sample<double>(layout_of(m, k, distribution), 1),
                   b = sample<double>(layout_of(k, n, distribution), 2);
        BlockMatrix<double> c = sample<double>(layout_of(m, n, distribution), 3);
        ProductOptions options;
        options.eps = eps;
        options.threads = threads;
        options.policy.window = 1 + threads;
        options.panels = 2 * threads - 1;
        options.layers = 1;
        options.whole_panels = threads == 2;
        Multiplier multiply(options);
        multiply(Product<double>{a, b, 0.7, 0.3}, c);
        const auto found = to_dense(c);
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(double)), 0)
            << threads << " threads";
        compared(static_cast<std::int64_t>(found.size()));
      }
    }
  }
}

TEST(Product, IsTheSameByAnyWayAndProgress) {
  const BlockSizes m = mixed(17, 0), n = mixed(15, 2), k = mixed(19, 4);
  const auto product = [&](MPI_Comm comm, Multiplier& multiply) {
    const auto a = sample<double>(make_layout(comm, m, k), 1), b = sample<double>(make_layout(comm, k, n), 2);
    BlockMatrix<double> c(make_layout(comm, m, n));
    multiply(Product<double>{a, b}, c);
    return to_dense(c);
  };
  Multiplier alone, one({.panels = 3});
  const auto expected = product(MPI_COMM_SELF, alone);
  for (const Algorithm algorithm : testing::ways_here()) {
    for (const Progress progress : {Progress::poll, Progress::thread, Progress::none}) {
      one.options().policy.algorithm = algorithm;
      one.options().policy.progress = progress;
      const auto found = product(MPI_COMM_WORLD, one);
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(double)), 0)
          << name_of(algorithm) << " " << name_of(progress);
      EXPECT_EQ(one.report().algorithm, name_of(algorithm));
      compared(static_cast<std::int64_t>(found.size()));
    }
  }
  for (const auto& [window, slots] : {std::pair{0, 3}, {1, 1}, {2, 2}, {9, 4}}) {  // no more than the panels, and one
    one.options().policy.window = window;
    product(MPI_COMM_WORLD, one);
    EXPECT_EQ(one.report().window, testing::ranks() == 1 ? 1 : slots);
  }
  if (testing::ranks() == 1) return;
  one.options().policy.algorithm = Algorithm::local;
  expect_error(Fault::bad_argument, "the way 'local' moves nothing between ranks",
               [&] { product(MPI_COMM_WORLD, one); });
}

TEST(Product, AClosedMultiplierSaysSo) {
  Multiplier multiply;
  BlockMatrix<double> a = sample<double>(make_layout(MPI_COMM_WORLD, mixed(5, 0), mixed(5, 0)), 1), c = a;
  multiply(Product<double>{a, a}, c);
  for (int twice = 0; twice < 2; ++twice) multiply.close();
  expect_error(Fault::bad_argument, "this multiplier was closed", [&] { multiply(Product<double>{a, a}, c); });
  expect_error(Fault::bad_argument, "this multiplier was closed", [&] { multiply.options(); });
}

/// Some builds of BLAS give wrong numbers, once in a thousand calls, where two threads call them at once.
TEST(Kernel, MayBeCalledByThreads) {
  using Complex = std::complex<double>;
  constexpr int n = 23, size = n * n;
  const KernelTable<Complex> kernels({n}, {n}, {n});
  const auto& kernel = kernels(0, 0, 0);
  std::vector<Complex> a(size), b(size), expected(size);
  for (int i = 0; i < size; ++i) {
    a[i] = number<Complex>(i, 0, 1);
    b[i] = number<Complex>(i, 0, 2);
  }
  kernel(a.data(), b.data(), expected.data(), true);
  std::int64_t wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    cpu_set_t any;  // mpiexec may have bound all threads to one core, where calls do not meet
    CPU_ZERO(&any);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &any);
    sched_setaffinity(0, sizeof any, &any);
    std::vector<Complex> c(size);
    for (int call = 0; call < 30000; ++call) {
      kernel(a.data(), b.data(), c.data(), true);
      wrong += c == expected ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0);
  compared(size);
}

TEST(Product, OneMultiplierServesSeveralCommunicators) {
  const BlockSizes m = mixed(17, 0), n = mixed(15, 2), k = mixed(19, 4);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, testing::rank() % 2, testing::rank(), &half);
  Multiplier one;
  const auto product = [&](MPI_Comm comm, Multiplier& multiply) {
    const auto a = sample<double>(make_layout(comm, m, k), 1), b = sample<double>(make_layout(comm, k, n), 2);
    BlockMatrix<double> c(make_layout(comm, m, n));
    multiply(Product<double>{a, b}, c);
    return to_dense(c);
  };
  Multiplier other;
  const auto expected = product(MPI_COMM_SELF, other);
  for (int round = 0; round < 3; ++round) {
    expect_equal(product(MPI_COMM_WORLD, one), expected);
    if (testing::rank() % 2 == 0) expect_equal(product(half, one), expected);
  }
  MPI_Comm_free(&half);
}

TEST(Product, LayersGiveTheSameWithinTheBound) {
  const auto grid = square_grid(testing::ranks());
  for (int layers = 2; layers <= testing::ranks(); ++layers) {
    bool possible = false;
    for (int across = 1; across <= layers; ++across)
      possible = possible || (layers % across == 0 && grid[0] % across == 0 && grid[1] % (layers / across) == 0);
    Case<double> layered;
    layered.options.layers = layers;
    layered.options.eps = 1e-5;
    layered.alpha = 1.5;
    layered.beta = -0.5;
    if (possible) {
      EXPECT_EQ(layered.check().layers, layers);
    } else {
      expect_error(Fault::bad_argument, "cannot be cut into", [&] { layered.check(); });
    }
  }
  compared();
}

TEST(Product, WholePanelsBringAll) {
  Case<double> whole;
  whole.options.eps = 1e-1;
  whole.options.layers = 1;
  whole.options.whole_panels = true;
  const auto report = whole.check();
  EXPECT_EQ(report.bytes_received, report.bytes_whole_panels);
  EXPECT_EQ(report.bytes_received > 0, testing::ranks() > 1);
  compared(2);
}

/// Two ranks, a grid of 2 x 1: A stays, B's rows travel, each to the other rank. The filter leaves of A's blocks those
/// on the diagonal, for which each rank has the rows of B, and one for which rank 0 needs the last row of B.
TEST(Product, SendsOnlyWhatIsNeeded) {
  if (testing::ranks() != 2) GTEST_SKIP() << "for 2 processes";
  const BlockSizes sizes{2, 3, 5, 7};
  const SharedLayout layout =
      make_layout(MPI_COMM_WORLD, sizes, sizes, {2, 1}, distribute_cyclic(4, 2), distribute_cyclic(4, 1));
  const auto all = [](std::int32_t, std::int32_t) { return true; };
  const auto b = from_function<double>(layout, all, [](std::int64_t, std::int64_t) { return 1.0; });
  const auto starts = starts_of(sizes);
  const auto a = from_function<double>(layout, all, [&](std::int64_t row, std::int64_t column) {
    return row == column || (row < starts[1] && column >= starts[3]) ? 1.0 : 1e-9;
  });
  const std::int64_t columns = 17, bytes = 8;
  const auto run = [&](double eps, bool whole) {
    ProductOptions options;
    options.eps = eps;
    options.layers = 1;
    options.whole_panels = whole;
    Multiplier multiply(options);
    BlockMatrix<double> c(layout);
    return multiply(Product<double>{a, b}, c);
  };
  const std::int64_t rows_of_0 = 2 + 5, rows_of_1 = 3 + 7;
  const std::int64_t whole = (testing::rank() == 0 ? rows_of_1 : rows_of_0) * columns * bytes;
  const std::int64_t needed = testing::rank() == 0 ? 7 * columns * bytes : 0;  // row 3, for block (0, 3) of A
  for (const auto& [report, received] :
       {std::pair(run(0, false), whole), std::pair(run(1e-2, true), whole), std::pair(run(1e-2, false), needed)}) {
    EXPECT_EQ(report.bytes_received, received);
    EXPECT_EQ(report.bytes_whole_panels, whole);
    compared(2);
  }
  const ProductReport sparse = run(1e-2, false);
  EXPECT_EQ(sparse.bytes_sent, testing::rank() == 1 ? 7 * columns * bytes : 0);
  // told: 8 blocks of 12 bytes; asked: counts of two operands for each panel, and 4 blocks by rank 0
  EXPECT_EQ(sparse.bytes_index, 8 * 12 + 4 * (2 * sparse.panels + (testing::rank() == 1 ? 4 : 0)));
  compared(2);
}

/// Positive 1 x 1 blocks: all that the filter leaves out adds up, so its bound is attained.
TEST(Product, BoundIsAttained) {
  const BlockSizes ones(3, 1);
  const SharedLayout layout = layout_of(ones, ones, Distribution::cyclic);
  const auto matrix = [&](const std::function<double(std::int64_t, std::int64_t)>& element) {
    return from_function<double>(
        layout, [&](std::int32_t i, std::int32_t j) { return element(i, j) != 0; }, element);
  };
  // powers of two, so that norms in single precision are exact up to their rounding up
  const auto a = matrix([](std::int64_t, std::int64_t column) { return column == 0 ? 1.0 : 0x1p-10; });
  const auto b = matrix([](std::int64_t, std::int64_t) { return 1.0; });
  Multiplier multiply({.eps = 3 * 0x1p-9, .layers = 1});
  for (const double alpha : {1.0, -2.0}) {
    BlockMatrix<double> c(layout);
    const ProductReport& report = multiply(Product<double>{a, b, alpha}, c);
    // each of nine elements is alpha instead of alpha (1 + 2^-9)
    const double off = distance(to_dense(c), std::vector<double>(9, alpha * (1 + 0x1p-9)));
    EXPECT_DOUBLE_EQ(off, std::abs(alpha) * 3 * 0x1p-9);
    EXPECT_GE(report.filter_error, off);
    EXPECT_LE(report.filter_error, off * (1 + 1e-5));
    EXPECT_GE(report.error, off);
    EXPECT_LE(report.error, off * (1 + 1e-5));
    compared(5);
  }
}

/// A_ik B_kj is left out where |A_ik| |B_kj| < eps / (blocks in row i of A).
TEST(Product, FilterCutsWhereItSays) {
  const BlockSizes ones(4, 1);
  const SharedLayout layout = layout_of(ones, ones, Distribution::cyclic);
  const auto run = [&](double norm) {
    // row i of A has i + 1 blocks: of norm 1 / (i + 1) but the first, which has `norm` times that
    const auto a = from_function<double>(
        layout, [](std::int32_t i, std::int32_t j) { return j <= i; },
        [&](std::int64_t row, std::int64_t column) {
          return (column == 0 ? norm : 1.5) / static_cast<double>(row + 1);
        });
    const auto b = from_function<double>(
        layout, [](std::int32_t i, std::int32_t j) { return i == 0 ? j < 3 : j == 3; },
        [](std::int64_t, std::int64_t) { return 1.0; });
    BlockMatrix<double> c(layout);
    Multiplier multiply({.eps = 1, .layers = 1});
    const ProductReport& report = multiply(Product<double>{a, b}, c);
    std::array<std::int64_t, 2> counts{report.skipped, report.products};
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return counts;
  };
  // column 0 of A meets the 3 blocks of B's row 0; columns 1 .. 3 meet one block each, and are large enough
  EXPECT_EQ(run(1 - 1e-4), (std::array<std::int64_t, 2>{12, 6}));
  EXPECT_EQ(run(1 + 1e-4), (std::array<std::int64_t, 2>{0, 18}));
  compared(2);
}

/// B is the result of a filtered product, and off by what its bound says.
TEST(Product, ErrorsOfOperandsAreInherited) {
  const BlockSizes ones(3, 1);
  const SharedLayout layout = layout_of(ones, ones, Distribution::cyclic);
  const auto all = [](std::int32_t, std::int32_t) { return true; };
  const auto flat = [&](double value) {
    return from_function<double>(layout, all, [=](std::int64_t, std::int64_t) { return value; });
  };
  const auto rough =
      from_function<double>(layout, all, [](std::int64_t, std::int64_t column) { return column == 0 ? 1.0 : 0x1p-10; });
  const BlockMatrix<double> exact = flat(1);
  BlockMatrix<double> made(layout);
  Multiplier filtered({.eps = 3 * 0x1p-9, .layers = 1}), plain({.layers = 1});
  filtered(Product<double>{rough, exact}, made);  // 1 instead of 1 + 2^-9, nine times
  EXPECT_GE(made.error_bound(), 3 * 0x1p-9);
  for (const bool is_a : {true, false}) {
    BlockMatrix<double> c(layout);
    const double bound = plain(is_a ? Product<double>{made, exact} : Product<double>{exact, made}, c).error;
    const double off = distance(to_dense(c), std::vector<double>(9, 3 * (1 + 0x1p-9)));
    EXPECT_DOUBLE_EQ(off, 9 * 0x1p-9);
    EXPECT_GE(bound, off) << (is_a ? "A" : "B");
    EXPECT_LE(bound, off * (1 + 1e-5)) << (is_a ? "A" : "B");  // |exact| |error| is 3 * 3 2^-9: attained
    compared(3);
  }
}

TEST(Product, OneMatrixMayBeEverything) {
  const BlockSizes sizes = mixed(9, 0);
  BlockMatrix<double> x = sample<double>(layout_of(sizes, sizes, Distribution::cyclic), 1);
  const std::int64_t n = sum_of(sizes);
  const auto expected = dense_product(Product<double>{x, x, 1.0, 2.0}, to_dense(x), n, n, n);
  Multiplier multiply;
  const auto& report = multiply(Product<double>{x, x, 1.0, 2.0}, x);
  EXPECT_LE(distance(to_dense(x), expected), report.error);
}

TEST(Product, TrianglesAreCompleted) {
  const BlockSizes sizes = mixed(8, 1);
  using Complex = std::complex<double>;
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::random);
  const std::int64_t n = sum_of(sizes);
  for (const Symmetry symmetry : {Symmetry::symmetric, Symmetry::hermitian, Symmetry::antisymmetric}) {
    BlockMatrix<Complex> half(layout, symmetry);
    std::vector<BlockPlace> entries;
    for (const std::int32_t i : half.rows()) {
      for (std::int32_t j = i; j < 8; ++j) {
        if (layout->owner(i, j) == testing::rank()) entries.push_back({i, j});
      }
    }
    half.reserve(entries);
    const auto full = [&](std::int64_t row, std::int64_t column) {
      const Complex x = number<Complex>(std::min(row, column), std::max(row, column), 9);
      if (symmetry == Symmetry::hermitian) return row < column ? x : row > column ? std::conj(x) : Complex(x.real());
      if (symmetry == Symmetry::antisymmetric) return row < column ? x : row > column ? -x : Complex(0);
      return x;
    };
    const auto starts = starts_of(sizes);
    auto* next = half.change_values().data();
    for (const auto& e : entries) {
      for (auto column = starts[static_cast<std::size_t>(e.column)];
           column < starts[static_cast<std::size_t>(e.column) + 1]; ++column) {
        for (auto row = starts[static_cast<std::size_t>(e.row)]; row < starts[static_cast<std::size_t>(e.row) + 1];
             ++row)
          *next++ = full(row, column);
      }
    }
    const auto dense = to_dense(half);
    double off = 0;
    for (std::int64_t column = 0; column < n; ++column) {
      for (std::int64_t row = 0; row < n; ++row)
        off = std::max(off, std::abs(dense[static_cast<std::size_t>(column * n + row)] - full(row, column)));
    }
    EXPECT_EQ(off, 0);
    const auto b = sample<Complex>(layout, 2);
    BlockMatrix<Complex> c(layout);
    const Product<Complex> product{half, b};
    const auto expected = dense_product(product, to_dense(c), n, n, n);
    Multiplier multiply;
    const double bound = multiply(product, c).error;
    EXPECT_LE(distance(to_dense(c), expected), bound);
  }
}

TEST(Product, MemoryIsForetoldAndLimited) {
  Case<double> small;
  small.options.layers = 1;
  std::int64_t foretold = 0;
  small.options.memory_needed = [&](std::int64_t bytes) { foretold = bytes; };
  EXPECT_EQ(small.check().memory, foretold);
  std::int64_t most = foretold;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  small.options.policy.memory = most;
  EXPECT_EQ(small.check().memory, foretold);
  small.options.policy.memory = most - 1;
  expect_error(Fault::bad_argument, "needs " + std::to_string(most) + " bytes", [&] { small.check(); });
  for (const std::int64_t none : {100, -1}) {
    small.options.policy.memory = none;
    expect_error(Fault::bad_argument, "more than the limit of " + std::to_string(none), [&] { small.check(); });
  }
}

TEST(Matrix, BlocksAreFoundByRowAndColumn) {
  const BlockSizes rows = mixed(7, 0), columns = mixed(6, 2);
  const SharedLayout layout = layout_of(rows, columns, Distribution::random);
  auto m = sample<double>(layout, 1);
  const auto row_at = starts_of(rows), column_at = starts_of(columns);
  std::int64_t found = 0;
  for (std::int32_t i = 0; i < 7; ++i) {
    for (std::int32_t j = 0; j < 6; ++j) {
      const auto block = std::as_const(m).block(i, j);
      EXPECT_EQ(bool(block), layout->owner(i, j) == testing::rank() && is_there(i, j, 1)) << i << " " << j;
      if (!block) continue;
      EXPECT_EQ(block.rows, rows[i]);
      EXPECT_EQ(block.columns, columns[j]);
      for (std::int64_t column = 0; column < block.columns; ++column) {
        for (std::int64_t row = 0; row < block.rows; ++row)
          EXPECT_EQ(block(row, column), number<double>(row_at[i] + row, column_at[j] + column, 1));
      }
      ++found;
      compared(block.size());
    }
  }
  EXPECT_EQ(found, m.local_blocks());
  EXPECT_FALSE(m.block(4, 0));  // an empty row
  expect_error(Fault::bad_argument, "no block (7, 0) in a matrix of 7 x 6 blocks", [&] { m.block(7, 0); });
  expect_error(Fault::bad_argument, "no block (0, -1)", [&] { m.change_block(0, -1); });
  for (std::int32_t i = 0; i < 7; ++i) {
    for (std::int32_t j = 0; j < 6; ++j) {
      m.norms();
      if (const auto block = m.change_block(i, j)) std::fill(block.data, block.data + block.size(), 3.0);
    }
  }
  double squares = 0;
  for (std::size_t b = 0; b < m.norms().size(); ++b) squares += std::pow(m.norms()[b], 2);
  EXPECT_NEAR(squares, 9.0 * static_cast<double>(m.values().size()), 1e-3);
  compared();
}

TEST(Matrix, CopiesAreIndependent) {
  const BlockSizes sizes = mixed(5, 0);
  auto m = sample<double>(layout_of(sizes, sizes, Distribution::cyclic), 1);
  const auto before = to_dense(m);
  BlockMatrix<double> copy = m, other(m.shared_layout());
  other = copy;
  scale(m, 2.0);
  expect_equal(to_dense(copy), before);
  expect_equal(to_dense(other), before);
}

TEST(Product, LoadIsReportedAndCanBeFixed) {
  Case<double> shared;
  shared.options.threads = 2;
  EXPECT_EQ(shared.check().communication_share, 1);
  shared.options.communication_share = 0.83;
  EXPECT_EQ(shared.check().communication_share, 0.83);
  shared.options.communication_share = 0;  // thread 0 does nothing else
  EXPECT_EQ(shared.check().communication_share, 0);
}

TEST(Product, WrongRequestsAreRefused) {
  const BlockSizes m = mixed(5, 0), n = mixed(6, 1);
  const SharedLayout mn = make_layout(MPI_COMM_WORLD, m, n), mm = make_layout(MPI_COMM_WORLD, m, m);
  BlockMatrix<double> a(mn), c(mm), triangle(mm, Symmetry::symmetric);
  Multiplier multiply;
  const auto run = [&](const BlockMatrix<double>& x, const BlockMatrix<double>& y, BlockMatrix<double>& z) {
    multiply(Product<double>{x, y}, z);
  };
  expect_error(Fault::bad_argument, "block columns of op(B) and those of C", [&] { run(a, a, c); });
  BlockMatrix<double> wide(mn);
  expect_error(Fault::bad_argument, "block columns of op(A) and the block rows of op(B)", [&] { run(a, a, wide); });
  expect_error(Fault::bad_argument, "stores one triangle", [&] { run(c, c, triangle); });
  multiply.options().policy.window = -1;
  expect_error(Fault::bad_argument, "a window of -1; give 0 or more", [&] { run(c, c, c); });
  multiply.options().policy.window = 0;
  multiply.options().threads = 0;
  expect_error(Fault::bad_argument, "at least 1 thread", [&] { run(c, c, c); });
  multiply.options().threads = 1;
  multiply.options().eps = -1;
  expect_error(Fault::bad_argument, "must not be negative", [&] { run(c, c, c); });
  expect_error(Fault::bad_argument, "does not fit", [&] {
    make_layout(MPI_COMM_WORLD, m, m, {testing::ranks() + 1, 1}, {}, {});
  });
  expect_error(Fault::bad_argument, "give one for each", [&] {
    make_layout(MPI_COMM_WORLD, m, m, {testing::ranks(), 1}, {0}, {0});
  });
  expect_error(Fault::bad_argument, "sizes are at least 1", [&] { make_layout(MPI_COMM_WORLD, {3, 0}, m); });
  expect_error(Fault::bad_argument, "but there are", [&] {
    make_layout(MPI_COMM_WORLD, {3}, {3}, {testing::ranks(), 1}, {testing::ranks()}, {0});
  });
  expect_error(Fault::bad_argument, "different layouts",
               [&] { add(1.0, a, 1.0, BlockMatrix<double>(make_layout(MPI_COMM_WORLD, n, m))); });
  expect_error(Fault::bad_argument, "does not belong to this process", [&] { c.reserve({{99, 0}}); });
}

}  // namespace
}  // namespace seiche
