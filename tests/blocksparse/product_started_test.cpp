// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests started products: they give the bits of ordinary ones, and finish() throws their errors on all ranks.
#include <memory>
#include <optional>

#include "blocksparse/samples.hpp"
#include "seiche/block_product.hpp"

namespace seiche {
namespace {

using namespace testing;

/// Operands, the old C, and the result of an ordinary product.
template <class Value>
struct Started {
  BlockSizes sizes = mixed(11, 1);
  SharedLayout layout = layout_of(sizes, sizes, Distribution::cyclic);
  BlockMatrix<Value> a = sample<Value>(layout, 1), b = sample<Value>(layout, 2), old = sample<Value>(layout, 3);
  Product<Value> product{a, b, Value(2), Value(0.5), Transpose::no, Transpose::yes};

  std::vector<Value> ordinary(const ProductOptions& options) const {
    BlockMatrix<Value> c = old;
    Multiplier multiply(options);
    multiply(product, c);
    return to_dense(c);
  }
};

/// Calls progress() a different number of times on each rank.
void work_between(Pending& pending) {
  for (int i = 0; i < 5 * rank(); ++i) pending.progress();
}

std::vector<ProductOptions> options_of_starts() {
  std::vector<ProductOptions> all{{}, {.eps = 1e-2}, {.layers = 0}, {.policy = {.window = 1}, .panels = 3}};
  for (const Algorithm algorithm : all_algorithms()) {
    if (algorithm != Algorithm::local) all.push_back({.policy = {.algorithm = algorithm, .window = 2}, .panels = 4});
  }
  all.push_back({.policy = {.algorithm = Algorithm::pairwise, .progress = Progress::thread}, .panels = 3});
  return all;
}

TEST(StartedProduct, GivesTheBitsOfTheOrdinaryOne) {
  const Started<double> given;
  for (const ProductOptions& options : options_of_starts()) {
    const auto expected = given.ordinary(options);
    BlockMatrix<double> c = given.old;
    Multiplier multiply(options);
    Pending pending = multiply.start(given.product, c);
    work_between(pending);
    pending.finish();
    SCOPED_TRACE(name_of(options.policy.algorithm));
    expect_equal(to_dense(c), expected);
    EXPECT_GT(multiply.report().products, 0);
    EXPECT_GE(multiply.report().seconds_total, multiply.report().seconds_work);
  }
}

TEST(StartedProduct, MayBeOneOfSeveralAndOutliveItsMultiplier) {
  const Started<std::complex<double>> given;
  const auto expected = given.ordinary({});
  BlockMatrix<std::complex<double>> c = given.old, d = given.old;
  auto first = std::make_unique<Multiplier>();
  Multiplier second;
  Pending one = first->start(given.product, c), two = second.start(given.product, d);
  first.reset();
  work_between(two);
  one.finish();
  two.finish();
  expect_equal(to_dense(c), expected);
  expect_equal(to_dense(d), expected);
}

TEST(StartedProduct, OnlyScalesWithoutAlpha) {
  const Started<float> given;
  BlockMatrix<float> c = given.old, scaled = given.old;
  Multiplier multiply;
  multiply.start(Product<float>{given.a, given.b, 0.0F, 3.0F}, c).finish();
  scale(scaled, 3.0F);
  expect_equal(to_dense(c), to_dense(scaled));
}

TEST(StartedProduct, IsTheOnlyOneOfItsMultiplier) {
  const Started<double> given;
  BlockMatrix<double> c = given.old, d = given.old;
  Multiplier multiply;
  Pending first = multiply.start(given.product, c), second = multiply.start(given.product, d);
  const char* const said = "a started product of this multiplier is not finished";
  expect_error(Fault::bad_argument, said, [&] { second.finish(); });
  expect_error(Fault::bad_argument, said, [&] { multiply(given.product, d); });
  first.finish();
  multiply(given.product, d);
  expect_equal(to_dense(c), to_dense(d));
}

TEST(StartedProduct, ThrowsItsErrorsInFinish) {
  const Started<double> given;
  const auto before = to_dense(given.old);
  BlockMatrix<double> c = given.old;
  Multiplier limited({.policy = {.memory = 8}});
  Pending pending = limited.start(given.product, c);
  EXPECT_TRUE(pending.progress());
  expect_error(Fault::bad_argument, "which exceeds the limit of 8", [&] { pending.finish(); });
  expect_equal(to_dense(c), before);
}

TEST(StartedProduct, MayBeDropped) {
  const Started<double> given;
  BlockMatrix<double> c = given.old;
  Multiplier multiply;
  std::optional<Pending> dropped(multiply.start(given.product, c));
  dropped.reset();
  c = given.old;
  multiply(given.product, c);
  expect_equal(to_dense(c), given.ordinary({}));
}

#ifdef SEICHE_CHECKS
TEST(StartedProduct, FindsChangedOperandsInBuildsWithChecks) {
  Started<double> given;
  BlockMatrix<double> c = given.old;
  Multiplier multiply;
  Pending pending = multiply.start(given.product, c);
  scale(given.b, 2.0);
  expect_error(Fault::bad_argument, "was changed before finish()", [&] { pending.finish(); });
}
#endif

}  // namespace
}  // namespace seiche
