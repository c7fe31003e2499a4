// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices whose elements any rank can find, and their products by dense sums.
#pragma once

#include <algorithm>
#include <vector>

#include "blocksparse/matrix/scalar.hpp"
#include "blocksparse/matrix/storage.hpp"
#include "seiche/block_product.hpp"
#include "support/mpi_test.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {

/// Numbers between -1 and 1 that any rank finds for any element.
inline double noise(std::int64_t row, std::int64_t column, std::uint64_t seed) {
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

inline bool is_there(std::int32_t i, std::int32_t j, std::uint64_t seed) {
  if (i == 4 || j == 3) return false;  // an empty row and an empty column
  return noise(i, j, seed + 5) > -0.2;
}

inline BlockSizes mixed(std::size_t n, std::size_t start) {
  const BlockSizes all{13, 5, 5, 1, 23, 2, 7};
  BlockSizes sizes;
  for (std::size_t i = 0; i < n; ++i) sizes.push_back(all[(i + start) % all.size()]);
  return sizes;
}

enum class Distribution { cyclic, random, curve };

inline SharedLayout layout_of(const BlockSizes& rows, const BlockSizes& columns, Distribution distribution) {
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

inline std::int64_t sum_of(const BlockSizes& sizes) { return starts_of(sizes).back(); }

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

}  // namespace seiche::testing
