// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of which only chosen blocks are computed, and operands in the memory of the caller.
#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

/// Compares the blocks of C with the dense product and counts them. Blocks that are not chosen must be absent.
template <class Value>
std::int64_t check_blocks(const BlockMatrix<Value>& c, const std::vector<Value>& dense, const BlockChoice& chosen,
                          double tolerance) {
  const BlockLayout& layout = c.layout();
  const auto row_at = starts_of(layout.row_sizes), column_at = starts_of(layout.column_sizes);
  std::int64_t wrong = 0;
  each_block(c, [&](const StoredBlock& b) {
    EXPECT_TRUE(chosen(b.at)) << b.at.row << " " << b.at.column;
    const Value* next = c.values().data() + b.offset;
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t i = 0; i < b.rows; ++i) {
        const Value expected = dense[(column_at[b.at.column] + j) * row_at.back() + row_at[b.at.row] + i];
        wrong += std::abs(*next++ - expected) <= tolerance ? 0 : 1;
      }
    }
    compared(b.size());
  });
  EXPECT_EQ(wrong, 0);
  return c.local_blocks();
}

std::int64_t sum_over_ranks(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

/// The number of block products for the chosen blocks of op(A) op(B), without a filter.
std::int64_t products_of(std::int32_t blocks, std::uint64_t a, std::uint64_t b, bool turn_b,
                         const BlockChoice& chosen) {
  std::int64_t products = 0;
  for (std::int32_t i = 0; i < blocks; ++i) {
    for (std::int32_t j = 0; j < blocks; ++j) {
      for (std::int32_t k = 0; k < blocks && chosen({i, j}); ++k)
        products += is_there(i, k, a) && (turn_b ? is_there(j, k, b) : is_there(k, j, b)) ? 1 : 0;
    }
  }
  return products;
}

bool upper(const BlockPlace& at) { return at.row <= at.column; }
bool alternating(const BlockPlace& at) {
  return at.row == at.column || (at.row < at.column) == ((at.row + at.column) % 2 == 0);
}

template <class Value>
void check_triangle(Symmetry symmetry, Transpose op, double tolerance) {
  const BlockSizes sizes = mixed(12, 1);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::random);
  const auto a = sample<Value>(layout, 1);
  for (const int layers : {1, testing::ranks() == 4 ? 2 : 1}) {
    for (const Value beta : {Value(0), Value(2)}) {
      BlockMatrix<Value> c(layout, symmetry), whole = sample<Value>(layout, 3);
      std::vector<BlockPlace> places;
      each_block(whole, [&](const StoredBlock& b) {
        if (upper(b.at)) places.push_back(b.at);
      });
      c.reserve(std::move(places));
      each_block(c, [&](const StoredBlock& b) {
        const auto from = whole.block(b.at.row, b.at.column);
        std::copy(from.data, from.data + b.size(), c.change_block(b.at.row, b.at.column).data);
      });
      const Product<Value> product{a, a, Value(0.5), beta, Transpose::no, op};
      const std::int64_t n = sum_of(sizes);
      const auto dense = dense_product(product, to_dense(whole), n, n, n);
      Multiplier multiply({.layers = layers});
      const ProductReport report = multiply(product, c);
      EXPECT_EQ(c.symmetry(), symmetry);
      EXPECT_GT(sum_over_ranks(check_blocks(c, dense, upper, tolerance)), 0);
      EXPECT_EQ(sum_over_ranks(report.products), products_of(12, 1, 1, op != Transpose::no, upper));
      EXPECT_LE(report.error, tolerance * static_cast<double>(n));
    }
  }
}

TEST(ProductChosen, OneTriangleIsComputed) {
  check_triangle<double>(Symmetry::symmetric, Transpose::yes, 1e-12);
  check_triangle<float>(Symmetry::antisymmetric, Transpose::no, 1e-4);
  check_triangle<std::complex<double>>(Symmetry::hermitian, Transpose::conjugate, 1e-12);
}

/// A A^T with a filter, in C as a triangle.
TEST(ProductChosen, TheBoundCoversBothTriangles) {
  const BlockSizes sizes = mixed(12, 1);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const auto a = sample<double>(layout, 1);
  const Product<double> product{a, a, 1, 0, Transpose::no, Transpose::yes};
  const std::int64_t n = sum_of(sizes);
  const auto dense = dense_product(product, std::vector<double>(n * n), n, n, n);
  for (const double eps : {0.5, 4.0}) {
    Multiplier multiply({.eps = eps, .layers = 1});
    BlockMatrix<double> c(layout, Symmetry::symmetric);
    const ProductReport report = multiply(product, c);
    const double off = distance(to_dense(c), dense);
    EXPECT_GT(off, report.filter_error / 50);  // the filter has an effect
    EXPECT_LE(off, report.error);
    EXPECT_EQ(report.error, c.error_bound());
  }
  // Dropped blocks alone give the exact error.
  BlockMatrix<double> c(layout, Symmetry::symmetric);
  Multiplier({.layers = 1})(product, c);
  const auto before = to_dense(c);
  Multiplier scales({.eps = 3, .layers = 1});
  const ProductReport report = scales(Product<double>{a, a, 0, 1}, c);
  const double off = distance(to_dense(c), before);
  EXPECT_GT(off, 0);
  EXPECT_GE(report.filter_error * (1 + 1e-6), off);
}

/// The chosen blocks have the same bits as in the whole product, for any number of panels.
TEST(ProductChosen, BlocksAreThoseOfTheWholeProduct) {
  const BlockSizes sizes = mixed(14, 3);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const auto a = sample<double>(layout, 1), b = sample<double>(layout, 2);
  for (const double eps : {0.0, 0.5}) {
    Multiplier plain({.eps = eps, .layers = 1});
    BlockMatrix<double> whole(layout);
    const ProductReport all = plain(Product<double>{a, b}, whole);
    for (const int panels : {1, 3, 7}) {
      Multiplier multiply({.eps = eps, .threads = 2, .panels = panels, .layers = 1, .wanted = alternating});
      BlockMatrix<double> c(layout);
      const ProductReport& part = multiply(Product<double>{a, b}, c);
      each_block(c, [&](const StoredBlock& at) {
        const auto expected = std::as_const(whole).block(at.at.row, at.at.column);
        ASSERT_TRUE(expected);
        EXPECT_TRUE(std::equal(expected.data, expected.data + at.size(), c.values().data() + at.offset));
        compared(at.size());
      });
      std::int64_t kept = 0;
      each_block(whole, [&](const StoredBlock& at) { kept += alternating(at.at) ? 1 : 0; });
      EXPECT_EQ(c.local_blocks(), kept);
      EXPECT_LT(part.error, all.error);
      EXPECT_LE(part.bytes_received, all.bytes_received);
      if (eps > 0) continue;
      EXPECT_EQ(sum_over_ranks(part.products), products_of(14, 1, 2, false, alternating));
    }
  }
}

/// Blocks of C outside the choice are multiplied by beta.
TEST(ProductChosen, OtherBlocksAreKept) {
  const BlockSizes sizes = mixed(9, 0);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const auto a = sample<double>(layout, 1);
  BlockMatrix<double> c = sample<double>(layout, 2);
  const auto before = c;
  Multiplier multiply({.layers = 1, .wanted = [](const BlockPlace&) { return false; }});
  const ProductReport& report = multiply(Product<double>{a, a, 1, 3}, c);
  EXPECT_EQ(report.products, 0);
  auto expected = to_dense(before);
  for (double& v : expected) v *= 3;
  expect_equal(to_dense(c), expected);
}

/// Blocks of a matrix in memory of the test, in descending order with gaps.
struct Outside {
  std::vector<BlockPlace> places;
  std::vector<std::int64_t> offset;
  std::vector<double> values{-1};

  explicit Outside(const BlockMatrix<double>& matrix) {
    std::vector<StoredBlock> blocks;
    each_block(matrix, [&](const StoredBlock& b) { blocks.push_back(b); });
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
      places.push_back(b->at);
      offset.push_back(std::ssize(values));
      const double* from = matrix.values().data() + b->offset;
      values.insert(values.end(), from, from + b->size());
      values.push_back(-1);
    }
  }
  BlockMatrix<double> matrix(const SharedLayout& layout) const {
    return refer_to_blocks<double>(layout, places, offset, values);
  }
};

TEST(BlocksInPlace, AreOperandsWithoutACopy) {
  const BlockSizes m = mixed(8, 0), k = mixed(10, 2);
  const SharedLayout mk = layout_of(m, k, Distribution::random), km = layout_of(k, m, Distribution::random),
                     mm = layout_of(m, m, Distribution::random);
  const auto a = sample<double>(mk, 1), b = sample<double>(km, 2);
  const Outside outside_a(a), outside_b(b);
  const auto in_place_a = outside_a.matrix(mk), in_place_b = outside_b.matrix(km);
  EXPECT_EQ(in_place_a.values().data(), outside_a.values.data());
  EXPECT_LT(in_place_a.memory(), a.memory());
  expect_equal(in_place_a.norms(), a.norms());
  expect_equal(to_dense(in_place_a), to_dense(a));
  for (const Transpose op : {Transpose::no, Transpose::yes}) {
    Multiplier multiply({.eps = 0.01, .layers = 1});
    BlockMatrix<double> c(mm), expected(mm);
    const bool turned = op == Transpose::yes;
    multiply(Product<double>{a, turned ? a : b, 1, 0, Transpose::no, op}, expected);
    multiply(Product<double>{in_place_a, turned ? in_place_a : in_place_b, 1, 0, Transpose::no, op}, c);
    expect_equal(to_dense(c), to_dense(expected));
  }
}

TEST(BlocksInPlace, AreCopiedBeforeTheyChange) {
  const BlockSizes sizes = mixed(7, 0);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  const auto source = sample<double>(layout, 1);
  const Outside outside(source);
  const std::vector<double> before = outside.values;
  const auto original = outside.matrix(layout);
  auto scaled = original, set = original, product = original, emptied = original;
  scale(scaled, 2.0);
  auto twice = to_dense(source);
  for (double& v : twice) v *= 2;
  expect_equal(to_dense(scaled), twice);
  if (!outside.places.empty()) {
    const BlockPlace at = outside.places.front();
    set.change_block(at.row, at.column)(0, 0) = 77;
    EXPECT_EQ(std::as_const(set).block(at.row, at.column)(0, 0), 77);
  }
  Multiplier multiply({.layers = 1});
  auto expected = source;
  multiply(Product<double>{source, source, 1, 1}, expected);
  multiply(Product<double>{original, original, 1, 1}, product);
  expect_equal(to_dense(product), to_dense(expected));
  emptied.reserve({});
  EXPECT_EQ(emptied.values().size(), 0U);
  auto replaced = original;
  multiply(Product<double>{source, source}, replaced);
  multiply(Product<double>{source, source}, expected);
  expect_equal(to_dense(replaced), to_dense(expected));
  expect_equal(outside.values, before);
}

TEST(BlocksInPlace, WrongListsAreRefused) {
  const BlockSizes one{2};
  const SharedLayout layout = make_layout(MPI_COMM_SELF, one, one);
  const std::vector<double> values(5, 1.0);
  const auto refer = [&](const std::vector<BlockPlace>& places, const std::vector<std::int64_t>& offset) {
    return [=, &values] { refer_to_blocks<double>(layout, places, offset, values); };
  };
  expect_error(Fault::bad_argument, "1 places of blocks, but 2 offsets", refer({{0, 0}}, {0, 1}));
  expect_error(Fault::bad_argument, "has elements 2 to 5, but there are 5 values", refer({{0, 0}}, {2}));
  expect_error(Fault::bad_argument, "has elements -1 to 2", refer({{0, 0}}, {-1}));
  expect_error(Fault::bad_argument, "block (0, 0) is given twice", refer({{0, 0}, {0, 0}}, {0, 1}));
  expect_error(Fault::bad_argument, "block (0, 1) belongs to another rank", refer({{0, 1}}, {0}));
}

}  // namespace
}  // namespace seiche
