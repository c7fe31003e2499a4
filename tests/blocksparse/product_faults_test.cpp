// SPDX-License-Identifier: BSD-3-Clause
/// \file  Requests for products that are refused on all ranks.
#include <cmath>
#include <limits>
#include <string>

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

TEST(ProductFaults, InvalidOptionsAreRefusedOnAllRanks) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, mixed(5, 0), mixed(5, 0));
  BlockMatrix<double> c(layout);
  const auto refused = [&](const std::string& sentence, const ProductOptions& invalid) {
    for (const bool everywhere : {true, false}) {
      Multiplier multiply(everywhere || testing::rank() == testing::ranks() - 1 ? invalid : ProductOptions());
      expect_error(Fault::bad_argument, sentence, [&] { multiply(Product<double>{c, c}, c); });
    }
  };
  for (const double eps : {-1.0, nan}) refused("eps must not be negative", {.eps = eps});
  for (const int threads : {0, -1, 4097}) refused("the number of threads must be 1 to 4096", {.threads = threads});
  for (const int window : {-1, 4097})
    refused("the window of a policy must be 0 to 4096", {.policy = {.window = window}});
  refused("the memory of a policy must not be negative", {.policy = {.memory = -1}});
  refused("unknown exchange algorithm (number 99)", {.policy = {.algorithm = static_cast<Algorithm>(99)}});
  refused("unknown progress (number 99)", {.policy = {.progress = static_cast<Progress>(99)}});
  for (const int panels : {-1, 4097}) refused("a product needs 0 to 4096 panels", {.panels = panels});
  refused("a number of layers that is not negative", {.layers = -1});
  for (const double share : {nan, infinity})
    refused("the communication share of a product must be a finite number", {.communication_share = share});
}

}  // namespace
}  // namespace seiche
