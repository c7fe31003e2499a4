// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that products and files of matrices with another argument on one rank give an error on all ranks.
#include "blocksparse/samples.hpp"
#include "collective/one_rank_differs.hpp"
#include "interface/product_members.hpp"
#include "seiche/block_file.hpp"
#include "seiche/purify.hpp"

namespace seiche::testing {
namespace {

TEST(OneRankDiffers, InProducts) {
  const BlockSizes sizes = mixed(7, 0);
  const SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic),
                     again = layout_of(sizes, sizes, Distribution::random);
  const auto a = sample<double>(layout, 1), b = sample<double>(layout, 2);
  BlockMatrix<double> c(layout);
  change_each_option("multiply", ProductOptions{}, [&](const ProductOptions& options) {
    Multiplier multiply(options);
    multiply(Product<double>{a, b}, c);
  });
  const auto refused = [&](const std::string& part, const Product<double>& product) {
    expect_refused(part, [&] {
      Multiplier multiply;
      multiply(product, c);
    });
  };
  refused("multiply: alpha is 2 on rank", {a, b, on_last(2.0, 1.0)});
  refused("multiply: beta is nan on rank", {a, b, 1, on_last(std::nan(""), 1.0)});
  refused("multiply: op_a is yes on rank", {a, b, 1, 0, on_last(Transpose::yes, Transpose::no)});
  refused("multiply: op_b is conjugate on rank",
          {a, b, 1, 0, Transpose::no, on_last(Transpose::conjugate, Transpose::no)});
  expect_refused("redistribute: op is yes", [&] { redistribute(a, layout, on_last(Transpose::yes, Transpose::no)); });
  expect_refused("redistribute: ", [&] { redistribute(a, on_last(again, layout)); });
  expect_refused("block_layout: row sizes differs", [&] {
    BlockSizes other = sizes;
    if (is_last()) other[0] += 1;
    make_layout(MPI_COMM_WORLD, other, sizes);
  });
  expect_refused("tune_product: budget is", [&] {
    tune_product(Product<double>{a, b}, layout, {}, {.budget = on_last(1.0, 0.01)});
  });
  Multiplier multiply;
  multiply(Product<double>{a, b}, c);
  BlockMatrix<double> later(layout);
  multiply(Product<double>{a, b}, later);
  EXPECT_EQ(distance(to_dense(c), to_dense(later)), 0);
}

TEST(OneRankDiffers, InPurification) {
  const SharedLayout layout = make_layout(MPI_COMM_WORLD, {1, 1, 1, 1}, {1, 1, 1, 1});
  const auto diagonal = [](auto element) {
    return [element](std::int64_t i, std::int64_t j) { return i == j ? element(i) : 0.0; };
  };
  const auto all = [](std::int32_t i, std::int32_t j) { return i == j; };
  const auto k = from_function<double>(layout, all, diagonal([](std::int64_t i) { return static_cast<double>(i); }));
  const auto s = from_function<double>(layout, all, diagonal([](std::int64_t) { return 1.0; }));
  change_each_option("purify", PurifyOptions{}, [&](const PurifyOptions& options) { purify(k, s, 4, options); });
  change_each_option("product of purify", PurifyOptions{}.product,
                     [&](const ProductOptions& options) { purify(k, s, 4, {.product = options}); });
  expect_refused("purify: electrons is 6 on rank", [&] { purify(k, s, on_last(6.0, 4.0)); });
  expect_refused("callback of one rank", [&] {
    purify(k, s, 4, {.on_progress = [](PurifyStage, int, double) {
             if (is_last()) throw std::runtime_error("callback of one rank");
           }});
  });
  expect_refused("inverse_square_root: max_iterations is 3", [&] {
    Multiplier multiply;
    inverse_square_root(s, multiply, on_last(3, 100));
  });
  EXPECT_NEAR(purify(k, s, 4).energy, 2, 1e-9);
}

TEST(OneRankDiffers, InFilesOfMatrices) {
  const ScratchDirectory scratch;
  const auto matrix = sample<double>(layout_of(mixed(3, 0), mixed(3, 0), Distribution::cyclic), 1);
  expect_refused("write_blocks: path differs", [&] {
    write_blocks(matrix, scratch.file(is_last() ? "other.mtx" : "one.mtx"), MatrixFormat::matrix_market);
  });
  write_blocks(matrix, scratch.file("one.mtx"), MatrixFormat::matrix_market);
  expect_refused("read_blocks: path differs",
                 [&] { read_blocks<double>(MPI_COMM_WORLD, scratch.file(is_last() ? "other.mtx" : "one.mtx")); });
  expect_refused("read_blocks: block sizes differs", [&] {
    read_blocks<double>(MPI_COMM_WORLD, scratch.file("one.mtx"),
                        {.blocks = is_last() ? BlockSizes{} : mixed(3, 0), .layout = nullptr});
  });
}

TEST(OneRankLeaves, AStartedProduct) {
  const SharedLayout layout = layout_of(mixed(7, 0), mixed(7, 0), Distribution::cyclic);
  const auto a = sample<double>(layout, 1);
  BlockMatrix<double> c(layout), later(layout);
  {
    Multiplier multiply;
    const double alpha = 1;
    leave("product", [&] { return multiply.start(Product<double>{a, a, alpha}, c); });
  }
  Multiplier multiply;
  multiply(Product<double>{a, a}, c);
  multiply(Product<double>{a, a}, later);
  EXPECT_EQ(distance(to_dense(c), to_dense(later)), 0);
}

}  // namespace
}  // namespace seiche::testing
