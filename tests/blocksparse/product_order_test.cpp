// SPDX-License-Identifier: BSD-3-Clause
/// \file  The order of the products in a panel, and products in groups of rows.
#include "blocksparse/product/product_order.hpp"

#include <cstring>

#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

constexpr std::int32_t edge = 23;

/// The index of operands with `rows` x `inner` and `inner` x `columns` blocks, of which each row has every `step`th
/// one.
IndexExchange<double> index_of(std::int64_t rows, std::int64_t inner, std::int64_t columns, std::int32_t step = 1) {
  IndexExchange<double> index;
  index.share.row_sizes.assign(static_cast<std::size_t>(rows), edge);
  index.share.inner_sizes.assign(static_cast<std::size_t>(inner), edge);
  index.share.column_sizes.assign(static_cast<std::size_t>(columns), edge);
  const auto fill = [&](CompressedRows& blocks, std::int64_t n, std::int64_t m) {
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::int32_t x = 0; x < m; x += step) blocks.index.push_back(x);
      blocks.end_row();
    }
  };
  fill(index.a.blocks, rows, inner);
  fill(index.b.blocks, inner, columns);
  return index;
}

/// Returns the number of columns of blocks for which B exceeds the shared cache on each of `ranks` ranks.
std::int64_t many_columns(std::int64_t inner, int ranks) {
  return ranks * 16 * core_cache() / (inner * edge * edge * 8) + 1;
}

TEST(ProductOrder, GroupsRowsOfLargeFullOperands) {
  constexpr std::int64_t inner = 200;
  const std::int64_t columns = many_columns(inner, 1);
  const ProductOrder order = order_of(index_of(30, inner, columns));
  EXPECT_EQ(order.rows, 8);
  EXPECT_LT(order.inner, inner);
  EXPECT_LE(order.rows * order.inner * edge * edge * 8,
            std::max<std::int64_t>(core_cache() / 2, 8 * 8 * edge * edge * 8));
  EXPECT_EQ(order_of(index_of(30, 4, many_columns(4, 1))).inner, 8);
  compared(4);
}

TEST(ProductOrder, TakesSingleRowsOtherwise) {
  constexpr std::int64_t inner = 200;
  const std::int64_t columns = many_columns(inner, 1);
  const auto expect_single = [](const ProductOrder& order, std::int64_t parts) {
    EXPECT_EQ(order.rows, 1);
    EXPECT_EQ(order.inner, parts);
    compared(2);
  };
  expect_single(order_of(index_of(30, inner, columns / 2)), inner);     // B fits
  expect_single(order_of(index_of(30, inner, 5 * columns, 5)), inner);  // few blocks
  expect_single(order_of(index_of(0, inner, columns)), inner);          // no rows
  expect_single(order_of(index_of(30, 0, 5)), 1);                       // no products
}

BlockMatrix<double> full(const SharedLayout& layout, std::uint64_t seed) {
  return from_function<double>(
      layout, [](std::int32_t, std::int32_t) { return true; },
      [&](std::int64_t row, std::int64_t column) { return noise(row, column, seed); });
}

/// Columns of C have the same bits if B has these columns alone, and fits the cache.
TEST(ProductOrder, GroupsOfRowsGiveTheBitsOfSingleRows) {
  constexpr std::size_t rows = 19, inner = 60, few = 7;
  const auto many = static_cast<std::size_t>(many_columns(inner, ranks()));
  const BlockSizes m(rows, edge), k(inner, edge), n(many, edge), n_few(few, edge);
  const auto layout = [](const BlockSizes& of_rows, const BlockSizes& of_columns) {
    return layout_of(of_rows, of_columns, Distribution::cyclic);
  };
  const BlockMatrix<double> a = full(layout(m, k), 1), b = full(layout(k, n), 2), b_few = full(layout(k, n_few), 2);
  BlockMatrix<double> c(layout(m, n)), c_few(layout(m, n_few));
  Multiplier multiply({.layers = 1});  // bits depend on their number
  multiply(Product<double>{a, b, -2.0}, c);
  multiply(Product<double>{a, b_few, -2.0}, c_few);
  constexpr std::size_t bytes = edge * edge * sizeof(double);
  std::int64_t same = 0;
  for (std::size_t r = 0; r < c.rows().size(); ++r) {
    for (auto at = c_few.row_start()[r], of_all = c.row_start()[r]; at < c_few.row_start()[r + 1]; ++at, ++of_all) {
      ASSERT_EQ(c.columns()[of_all], c_few.columns()[at]);
      const double* const values = c.values().data() + c.offset()[of_all];
      ASSERT_EQ(std::memcmp(values, c_few.values().data() + c_few.offset()[at], bytes), 0) << r << " " << at;
      long double sum = 0;  // of the first element of the block
      for (std::int64_t x = 0; x < std::int64_t{inner} * edge; ++x) {
        const auto row = std::int64_t{c.rows()[r]} * edge, column = std::int64_t{c.columns()[of_all]} * edge;
        sum += static_cast<long double>(noise(row, x, 1)) * static_cast<long double>(noise(x, column, 2));
      }
      EXPECT_NEAR(values[0], static_cast<double>(-2 * sum), 1e-11);
      ++same;
    }
  }
  std::int64_t all = same;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all, static_cast<std::int64_t>(rows * few));
  compared(3 * same + 1);
}

}  // namespace
}  // namespace seiche
