// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of block-sparse matrices, against sums over dense elements.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

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

/// Where nothing is added, beta = 1 leaves the bits of C alone, and alpha is no factor of it.
TYPED_TEST(Products, LeaveTheBitsOfTheOldC) {
  const BlockSizes sizes = mixed(9, 1);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const auto b = sample<TypeParam>(layout, 1);
  const auto old = sample<TypeParam>(layout, 2);
  const auto a = from_function<TypeParam>(
      layout, [](std::int32_t i, std::int32_t) { return i == 0; },
      [](std::int64_t, std::int64_t) { return TypeParam(1); });
  for (const int layers : {1, 0}) {
    BlockMatrix<TypeParam> c = old;
    Multiplier multiply({.layers = layers});
    multiply(Product<TypeParam>{a, b, TypeParam(3), TypeParam(1)}, c);
    auto now = to_dense(c), before = to_dense(old);
    const auto rows = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
    bool added = false;
    for (std::size_t n = 0; n < now.size(); ++n) {
      if (n % rows >= static_cast<std::size_t>(sizes[0])) continue;  // rows of A's only blocks
      added = added || now[n] != before[n];
      now[n] = before[n] = 0;
    }
    EXPECT_TRUE(added);
    EXPECT_EQ(std::memcmp(now.data(), before.data(), now.size() * sizeof(TypeParam)), 0);
    testing::compared(static_cast<std::int64_t>(now.size()));
  }
}

TEST(Product, OfASmallAlphaDoesNotOverflow) {
  const SharedLayout layout = layout_of({2, 3}, {2, 3}, Distribution::cyclic);
  const auto filled = [&](float value) {
    return from_function<float>(
        layout, [](std::int32_t, std::int32_t) { return true; }, [=](std::int64_t, std::int64_t) { return value; });
  };
  const auto one = filled(1);
  BlockMatrix<float> c = filled(1e9F);
  Multiplier multiply;
  multiply(Product<float>{one, one, 1e-30F, 1.0F}, c);
  expect_equal(to_dense(c), to_dense(filled(1e9F)));
  EXPECT_LT(multiply.report().error, 1e5);
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
  expect_error(Fault::bad_argument, "the exchange algorithm 'local' sends nothing",
               [&] { product(MPI_COMM_WORLD, one); });
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
      expect_error(Fault::bad_argument, "cannot be split into", [&] { layered.check(); });
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
  const double start = MPI_Wtime();
  const ProductReport sparse = run(1e-2, false);
  const double seconds = MPI_Wtime() - start;
  EXPECT_GT(sparse.seconds_index, 0);
  EXPECT_LE(sparse.seconds_index, seconds);
  EXPECT_EQ(sparse.bytes_sent, testing::rank() == 1 ? 7 * columns * bytes : 0);
  // told: 8 blocks of 12 bytes; asked: counts of two operands for each panel, and 4 blocks by rank 0
  EXPECT_EQ(sparse.bytes_index, 8 * 12 + 4 * (2 * sparse.panels + (testing::rank() == 1 ? 4 : 0)));
  compared(2);
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
  small.options.policy.memory = 100;
  expect_error(Fault::bad_argument, "exceeds the limit of 100", [&] { small.check(); });
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

}  // namespace
}  // namespace seiche
