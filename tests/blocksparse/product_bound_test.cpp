// SPDX-License-Identifier: BSD-3-Clause
/// \file  What filtering leaves out of products, and the bounds of what is missing.
#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

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

}  // namespace
}  // namespace seiche
