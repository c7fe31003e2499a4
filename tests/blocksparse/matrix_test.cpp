// SPDX-License-Identifier: BSD-3-Clause
/// \file  Blocks in matrices, and the kernels that multiply them.
#include <sched.h>

#include <cstring>

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/product/kernels.hpp"
#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

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
  expect_error(Fault::bad_argument, "block (7, 0) is outside a matrix of 7 x 6 blocks", [&] { m.block(7, 0); });
  expect_error(Fault::bad_argument, "block (0, -1) is outside", [&] { m.change_block(0, -1); });
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

}  // namespace
}  // namespace seiche
