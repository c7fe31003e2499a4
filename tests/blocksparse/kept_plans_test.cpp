// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products that reuse the plan of an earlier product, and products that must not.
#include "blocksparse/product/kept_plans.hpp"

#include <cstring>

#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

const BlockSizes m = mixed(11, 0), n = mixed(9, 2), k = mixed(13, 4);

/// Matrices of a product; `seed` changes values, `places` the blocks.
template <class Value>
struct Matrices {
  BlockMatrix<Value> a, b, c;

  explicit Matrices(std::uint64_t seed, std::uint64_t places = 1, Transpose op_a = Transpose::no,
                    MPI_Comm comm = MPI_COMM_WORLD)
      : a(op_a == Transpose::no ? filled(comm, m, k, seed, places) : filled(comm, k, m, seed, places)),
        b(filled(comm, k, n, seed + 1, places + 1)),
        c(filled(comm, m, n, seed + 2, places + 2)) {}

 private:
  static BlockMatrix<Value> filled(MPI_Comm comm, const BlockSizes& rows, const BlockSizes& columns, std::uint64_t seed,
                                   std::uint64_t places) {
    return from_function<Value>(
        make_layout(comm, rows, columns), [&](std::int32_t i, std::int32_t j) { return is_there(i, j, places); },
        [&](std::int64_t row, std::int64_t column) { return number<Value>(row, column, seed); });
  }
};

/// Multiplies, compares each bit with the result of a new multiplier, and returns whether the plan was reused on all
/// ranks.
template <class Value>
bool reuses(Multiplier& multiply, Matrices<Value> of, Value alpha = 1, Value beta = 0, Transpose op_a = Transpose::no) {
  BlockMatrix<Value> expected = of.c;
  Multiplier fresh(multiply.options());
  const Product<Value> product{of.a, of.b, alpha, beta, op_a};
  const ProductReport first = fresh(product, expected), report = multiply(product, of.c);
  expect_equal(to_dense(of.c), to_dense(expected));
  EXPECT_EQ(report.error, first.error);
  EXPECT_EQ(report.products, first.products);
  EXPECT_EQ(report.operations, first.operations);
  EXPECT_EQ(report.bytes_received, first.bytes_received);
  EXPECT_EQ(report.layers, first.layers);
  EXPECT_EQ(report.tuning, first.tuning);
  compared(6);
  const Communicator& comm = of.c.layout().comm;
  const std::int64_t passed = sum_each(comm, {report.bytes_index}).front();
  if (comm.size() > 1) {
    EXPECT_GT(sum_each(comm, {first.bytes_index}).front(), 0);
  }
  return comm.size() > 1 && passed == 0;
}

bool several() { return testing::ranks() > 1; }

template <class Value>
class KeptPlan_ : public ::testing::Test {};
using Values = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(KeptPlan_, Values);

TYPED_TEST(KeptPlan_, ServesMatricesWithTheSameBlocks) {
  for (const int layers : {1, 0}) {
    Multiplier multiply({.layers = layers});
    EXPECT_FALSE(reuses(multiply, Matrices<TypeParam>(1)));
    EXPECT_EQ(reuses(multiply, Matrices<TypeParam>(2)), several());
    EXPECT_EQ(reuses(multiply, Matrices<TypeParam>(3), TypeParam(-2)), several());
    EXPECT_FALSE(reuses(multiply, Matrices<TypeParam>(4), TypeParam(1), TypeParam(2)));
    EXPECT_EQ(reuses(multiply, Matrices<TypeParam>(5), TypeParam(3), TypeParam(-1)), several());
    EXPECT_FALSE(
        reuses(multiply, Matrices<TypeParam>(6, 1, Transpose::yes), TypeParam(1), TypeParam(0), Transpose::yes));
    EXPECT_EQ(reuses(multiply, Matrices<TypeParam>(7, 1, Transpose::yes), TypeParam(1), TypeParam(0), Transpose::yes),
              several());
    EXPECT_EQ(reuses(multiply, Matrices<TypeParam>(8)), several());  // the first one is still there
  }
}

TEST(KeptPlans, ServeOneTypeOfValues) {
  Multiplier multiply;
  EXPECT_FALSE(reuses(multiply, Matrices<double>(1)));
  EXPECT_FALSE(reuses(multiply, Matrices<std::complex<float>>(1)));
  EXPECT_EQ(reuses(multiply, Matrices<double>(2)), several());
}

TEST(KeptPlans, AreNotUsedIfABlockOfOneRankDiffers) {
  Multiplier multiply;
  reuses(multiply, Matrices<double>(1));
  for (const char changed : {'a', 'b', 'c'}) {
    const double beta = changed == 'c' ? 1 : 0;
    if (changed == 'c') reuses(multiply, Matrices<double>(1), 1.0, beta);
    Matrices<double> of(2);
    BlockMatrix<double>& one = changed == 'a' ? of.a : changed == 'b' ? of.b : of.c;
    one = from_function<double>(
        one.shared_layout(),
        [&](std::int32_t i, std::int32_t j) {
          return (i == 4 && j == 3) || is_there(i, j, changed == 'a' ? 1 : changed == 'b' ? 2 : 3);
        },
        [&](std::int64_t row, std::int64_t column) { return number<double>(row, column, 5); });
    EXPECT_FALSE(reuses(multiply, of, 1.0, beta)) << changed;
    EXPECT_EQ(reuses(multiply, of, 1.0, beta), several()) << changed;
  }
}

TEST(KeptPlans, AreNotUsedWithAFilterOrAChoice) {
  for (const auto& change : std::vector<std::function<void(ProductOptions&)>>{
           [](ProductOptions& o) { o.eps = 1e-6; },
           [](ProductOptions& o) { o.wanted = [](const BlockPlace& at) { return at.row != at.column; }; }}) {
    ProductOptions options;
    change(options);
    Multiplier multiply(options);
    for (int round = 0; round < 2; ++round) EXPECT_FALSE(reuses(multiply, Matrices<double>(1)));
  }
}

TEST(KeptPlans, AreNotUsedWithOtherOptions) {
  Multiplier multiply;
  EXPECT_FALSE(reuses(multiply, Matrices<double>(1)));
  multiply.options().panels = 3;
  EXPECT_FALSE(reuses(multiply, Matrices<double>(1)));
  multiply.options().policy.window = 1;
  EXPECT_FALSE(reuses(multiply, Matrices<double>(1)));
  multiply.options() = {};
  EXPECT_EQ(reuses(multiply, Matrices<double>(1)), several());
  multiply.options().threads = 2;  // which no plan depends on
  EXPECT_EQ(reuses(multiply, Matrices<double>(1)), several());
}

/// The last rank has a limit in some products, so that ranks find plans of different products.
TEST(KeptPlans, AreNotMixedIfRanksFindOtherOnes) {
  Multiplier multiply;
  const auto reused = [&](std::int64_t limit_of_last, std::uint64_t places) {
    multiply.options().policy.memory = testing::rank() + 1 == testing::ranks() ? limit_of_last : 0;
    return reuses(multiply, Matrices<double>(places, places));
  };
  const std::int64_t limit = std::int64_t{1} << 30;
  EXPECT_FALSE(reused(limit, 1));
  EXPECT_FALSE(reused(0, 7));
  EXPECT_FALSE(reused(0, 1));  // other ranks have a plan of the first product
  EXPECT_EQ(reused(0, 1), several());
  EXPECT_EQ(reused(0, 7), several());
  EXPECT_FALSE(reused(limit, 1));  // other ranks have the plan of the third product
}

TEST(KeptPlans, BelongToACommunicator) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, testing::rank() % 2, testing::rank(), &half);
  Multiplier multiply;
  for (std::uint64_t round = 0; round < 2; ++round) {
    EXPECT_EQ(reuses(multiply, Matrices<double>(round)), several() && round > 0);
    if (testing::rank() % 2 == 0) {
      EXPECT_EQ(reuses(multiply, Matrices<double>(round, 1, Transpose::no, half)), testing::ranks() > 2 && round > 0);
    }
  }
  MPI_Comm_free(&half);
}

TEST(KeptPlans, SurviveAProductThatFails) {
  Multiplier multiply;
  reuses(multiply, Matrices<double>(1));
  const Matrices<double> of(2);
  BlockMatrix<double> other(make_layout(MPI_COMM_WORLD, n, n));
  expect_error(Fault::bad_argument, "the block rows of op(A) and C differ", [&] {
    multiply(Product<double>{of.a, of.b}, other);
  });
  EXPECT_EQ(reuses(multiply, Matrices<double>(3)), several());
}

TEST(KeptPlans, DropTheOldestIfTheyAreLarge) {
  KeptPlans<double> plans;
  const auto keep = [&](const std::string& key, std::int64_t parts) {
    plans.keep({key, 0, {}, KeptPlans<double>::most_bytes * parts / 16, false, ""});
  };
  const auto there = [&] {
    std::string keys;
    for (const char* key : {"1", "2", "3", "4"}) keys += plans.find(key) != nullptr ? key : "-";
    return keys;
  };
  keep("1", 5), keep("2", 5), keep("3", 5);
  EXPECT_EQ(there(), "123-");
  keep("2", 4);  // in place of the earlier one
  EXPECT_EQ(there(), "123-");
  keep("4", 6);
  EXPECT_EQ(there(), "-234");
  keep("1", 17);
  EXPECT_EQ(there(), "----");
  compared(4);
}

/// Small and large blocks are apart, so that equal numbers of blocks would be unequal work.
TEST(Layers, HaveEqualWork) {
  BlockSizes inner(8, 13);
  inner.resize(24, 5);
  const BlockSizes rows(4, 6), columns(4, 8);
  const SharedLayout layout = make_layout(MPI_COMM_SELF, rows, columns);
  const double call = 5000.0 / (2 * 6 * 8);
  for (const int layers : {1, 2, 3, 4, 24}) {
    const auto cuts = cut_inner(*layout, inner, layers);
    ASSERT_EQ(std::ssize(cuts), layers + 1);
    EXPECT_EQ(cuts.front(), 0);
    EXPECT_EQ(cuts.back(), 24);
    EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
    double least = 1e9, most = 0;
    for (int layer = 0; layer < layers; ++layer) {
      double work = 0;
      for (auto x = cuts[static_cast<std::size_t>(layer)]; x < cuts[static_cast<std::size_t>(layer) + 1]; ++x)
        work += inner[static_cast<std::size_t>(x)] + call;
      least = std::min(least, work), most = std::max(most, work);
    }
    EXPECT_LE(most - least, 2 * (13 + call));  // of two blocks
    compared(5);
  }
  EXPECT_EQ(cut_inner(*layout, {}, 2), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(cut_inner(*layout, {3}, 3).back(), 1);
  const auto uneven = cut_inner(*make_layout(MPI_COMM_SELF, BlockSizes(4, 100), BlockSizes(4, 100)), inner, 4);
  EXPECT_EQ(uneven, (std::vector<std::int64_t>{0, 4, 7, 15, 24}));  // of 184 rows, 46 each
  compared(3);
}

}  // namespace
}  // namespace seiche
