// SPDX-License-Identifier: BSD-3-Clause
/// \file  Requests for products that are refused on all ranks.
#include "blocksparse/samples.hpp"

namespace seiche {
namespace {

using namespace testing;

TEST(Product, AClosedMultiplierSaysSo) {
  Multiplier multiply;
  BlockMatrix<double> a = sample<double>(make_layout(MPI_COMM_WORLD, mixed(5, 0), mixed(5, 0)), 1), c = a;
  multiply(Product<double>{a, a}, c);
  for (int twice = 0; twice < 2; ++twice) multiply.close();
  expect_error(Fault::bad_argument, "this multiplier is closed", [&] { multiply(Product<double>{a, a}, c); });
  expect_error(Fault::bad_argument, "this multiplier is closed", [&] { multiply.options(); });
}

TEST(Product, WrongRequestsAreRefused) {
  const BlockSizes m = mixed(5, 0), n = mixed(6, 1);
  const SharedLayout mn = make_layout(MPI_COMM_WORLD, m, n), mm = make_layout(MPI_COMM_WORLD, m, m);
  BlockMatrix<double> a(mn), c(mm);
  Multiplier multiply;
  const auto run = [&](const BlockMatrix<double>& x, const BlockMatrix<double>& y, BlockMatrix<double>& z) {
    multiply(Product<double>{x, y}, z);
  };
  expect_error(Fault::bad_argument, "block columns of op(B) and C differ", [&] { run(a, a, c); });
  BlockMatrix<double> wide(mn);
  expect_error(Fault::bad_argument, "block columns of op(A) and the block rows of op(B)", [&] { run(a, a, wide); });
  multiply.options().policy.window = -1;
  expect_error(Fault::bad_argument, "window of a policy must not be negative (got -1)", [&] { run(c, c, c); });
  multiply.options().policy.window = 0;
  multiply.options().policy.memory = -1;
  expect_error(Fault::bad_argument, "memory limit of a policy must not be negative (got -1 bytes)",
               [&] { run(c, c, c); });
  multiply.options().policy.memory = 0;
  multiply.options().threads = 0;
  expect_error(Fault::bad_argument, "threads must be at least 1", [&] { run(c, c, c); });
  multiply.options().threads = 1;
  multiply.options().eps = -1;
  expect_error(Fault::bad_argument, "must not be negative", [&] { run(c, c, c); });
  expect_error(Fault::bad_argument, "does not match", [&] {
    make_layout(MPI_COMM_WORLD, m, m, {testing::ranks() + 1, 1}, {}, {});
  });
  expect_error(Fault::bad_argument, "give one owner per block", [&] {
    make_layout(MPI_COMM_WORLD, m, m, {testing::ranks(), 1}, {0}, {0});
  });
  expect_error(Fault::bad_argument, "block sizes must be positive", [&] { make_layout(MPI_COMM_WORLD, {3, 0}, m); });
  expect_error(Fault::bad_argument, "but the process grid has only", [&] {
    make_layout(MPI_COMM_WORLD, {3}, {3}, {testing::ranks(), 1}, {testing::ranks()}, {0});
  });
  expect_error(Fault::bad_argument, "different layout",
               [&] { add(1.0, a, 1.0, BlockMatrix<double>(make_layout(MPI_COMM_WORLD, n, m))); });
  expect_error(Fault::bad_argument, "belongs to another rank", [&] { c.reserve({{99, 0}}); });
}

}  // namespace
}  // namespace seiche
