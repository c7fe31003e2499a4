// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products that take their settings from the tuning file, and tuning that writes them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "blocksparse/product/product_settings.hpp"
#include "seiche/block_product.hpp"
#include "support/mpi_test.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;

const BlockSizes sizes{13, 5, 5, 1, 23, 2, 7, 13, 5, 5, 1, 23, 2, 7, 3, 4};

/// Every third block, or the fraction wanted.
template <class Value>
BlockMatrix<Value> sample(const SharedLayout& layout, int every = 3) {
  return from_function<Value>(
      layout, [&](std::int32_t i, std::int32_t j) { return (i + 2 * j) % every == 0; },
      [](std::int64_t row, std::int64_t column) {
        return Value(static_cast<float>(std::sin(static_cast<double>(7 * row + 3 * column))));
      });
}

/// A file of tuning in a place of the test's own.
struct TuningFile {
  TuningFile() { ::setenv("SEICHE_TUNING", path.c_str(), 1); }
  ~TuningFile() { ::setenv("SEICHE_TUNING", "none", 1); }
  TuningFile(const TuningFile&) = delete;
  TuningFile& operator=(const TuningFile&) = delete;
  void write(const std::string& tuned_case, const Settings& settings) const {
    MPI_Barrier(MPI_COMM_WORLD);  // all have read what was there
    if (testing::rank() == 0) write_tuning(path, tuned_case, settings);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  testing::ScratchDirectory scratch;
  std::string path = scratch.file("tuning.json");
};

const TuneRequest short_request{.budget = 0.02, .skew = 0};

struct Squares {
  SharedLayout layout = make_layout(MPI_COMM_WORLD, sizes, sizes);
  BlockMatrix<double> a = sample<double>(layout);

  std::vector<double> times(Multiplier& multiply) const {
    BlockMatrix<double> c(layout);
    multiply(Product<double>{a, a}, c);
    return to_dense(c);
  }
};

TEST(ProductTuning, WhatWonIsWhatLaterProductsUse) {
  const TuningFile file;
  const Squares squares;
  Multiplier before;
  const auto expected = squares.times(before);
  const auto report = tune_product(Product<double>{squares.a, squares.a}, squares.layout, {}, short_request);
  MPI_Barrier(MPI_COMM_WORLD);
  const Settings kept = tuned_cases().at(report.tuned_case);
  EXPECT_EQ(kept, settings_of(report.options));
  EXPECT_EQ(report.trials.front().settings, "alltoallv");
  EXPECT_GE(report.trials.size(), 8U);
  for (const Trial& trial : report.trials) EXPECT_GE(trial.rounds, 3);
  const std::string most_layers = "layers " + std::to_string(testing::ranks());  // a grid of 2 x 1, or of 2 x 2
  EXPECT_EQ(std::any_of(report.trials.begin(), report.trials.end(),
                        [&](const Trial& t) { return t.settings.find(most_layers) != std::string::npos; }),
            testing::ranks() > 1);

  const Settings other{{"algorithm", "pairwise"}, {"progress", "none"}, {"window", "2"},
                       {"panels", "5"},           {"layers", "1"},      {"communication_share", "0.5"}};
  file.write(report.tuned_case, other);
  Multiplier multiply({.threads = 1});
  const auto found = squares.times(multiply);
  const ProductReport& used = multiply.report();
  EXPECT_EQ(used.algorithm, "pairwise");
  EXPECT_EQ(used.panels, testing::ranks() == 1 ? 1 : 5);
  EXPECT_EQ(used.window, testing::ranks() == 1 ? 1 : 2);
  EXPECT_EQ(used.communication_share, 0.5);
  EXPECT_EQ(used.polls, 0);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(double)), 0);
  compared(10 + static_cast<std::int64_t>(found.size()));

  Settings least = other;
  least["communication_share"] = "0";
  file.write(report.tuned_case, least);
  Multiplier of_least({.threads = 1});
  squares.times(of_least);
  EXPECT_EQ(of_least.report().communication_share, 0.1) << "a share is at least a tenth";
  file.write(report.tuned_case, other);

  Multiplier mine({.policy = {.window = 4}, .panels = 6, .communication_share = 0.9});
  squares.times(mine);
  EXPECT_EQ(mine.report().algorithm, "pairwise");
  EXPECT_EQ(mine.report().panels, testing::ranks() == 1 ? 1 : 6) << "what the caller says goes first";
  EXPECT_EQ(mine.report().window, testing::ranks() == 1 ? 1 : 4);
  EXPECT_EQ(mine.report().communication_share, 0.9);
  Multiplier by_name({.policy = {.algorithm = Algorithm::alltoallv}});
  squares.times(by_name);
  EXPECT_EQ(by_name.report().algorithm, "alltoallv");
  EXPECT_EQ(by_name.report().communication_share, 1);
  Multiplier limited({.policy = {.memory = 1'000'000'000}});
  squares.times(limited);
  EXPECT_EQ(limited.report().communication_share, 1) << "not where memory is limited";
  EXPECT_NE(limited.report().panels, 5);
}

TEST(ProductTuning, OtherProductsAreOtherCases) {
  const TuningFile file;
  const auto layout = make_layout(MPI_COMM_WORLD, sizes, sizes),
             fewer = make_layout(MPI_COMM_WORLD, {13, 5, 7}, {13, 5, 7}),
             smaller = make_layout(MPI_COMM_WORLD, BlockSizes(sizes.size(), 3), BlockSizes(sizes.size(), 3));
  const auto sparse = sample<double>(layout, 16);
  const auto key = [&](const auto& a, const SharedLayout& c, int threads = 1) {
    using Value = std::decay_t<decltype(a.values()[0])>;
    return tune_product(Product<Value>{a, a}, c, {.threads = threads}, short_request).tuned_case;
  };
  const std::vector<std::string> keys{key(sample<double>(layout), layout),
                                      key(sample<float>(layout), layout),
                                      key(sample<std::complex<double>>(layout), layout),
                                      key(sample<double>(fewer), fewer),
                                      key(sample<double>(smaller), smaller),
                                      key(sparse, layout),
                                      key(sample<double>(layout), layout, 2)};
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(key(sample<double>(layout, 2), layout), keys[0]) << "a half and a third are of one decade";
  EXPECT_NE(keys[0].find("product r8 16x16x16 blocks of 7x7x7, fill 1e-1 and 1e-1, on "), std::string::npos) << keys[0];
  EXPECT_NE(keys[5].find("fill 1e-2 and 1e-2"), std::string::npos) << keys[5];
  compared(4);
}

TEST(ProductTuning, UnusableSettingsAreIgnored) {
  const TuningFile file;
  const Squares squares;
  Multiplier by_rule;
  const auto expected = squares.times(by_rule);
  const auto key = tune_product(Product<double>{squares.a, squares.a}, squares.layout, {}, short_request).tuned_case;
  const auto ignored = [&](const Settings& settings, const std::string& reason) {
    file.write(key, settings);
    Multiplier multiply;
    for (int repeat = 0; repeat < 2; ++repeat) {
      testing::expect_equal(squares.times(multiply), expected);
      const ProductReport& report = multiply.report();
      EXPECT_EQ(report.tuning.rfind("ignored: ", 0), 0U) << report.tuning;
      EXPECT_NE(report.tuning.find(reason), std::string::npos) << report.tuning;
      EXPECT_EQ(report.algorithm, by_rule.report().algorithm);
      EXPECT_EQ(report.panels, by_rule.report().panels);
    }
  };
  ignored({{"algorithm", "pigeon"}, {"panels", "3"}}, "unknown exchange algorithm 'pigeon'");
  ignored({{"algorithm", "alltoallv"}, {"panels", "some"}}, "'some' is not a valid number for panels: tune again");
  ignored({{"algorithm", "alltoallv"}, {"panels", "3000000000"}}, "'3000000000' is not a valid number for panels");
  ignored({{"communication_share", "-1"}}, "'-1' is not a valid number for communication_share");
  ignored({{"layers", "1000"}}, "cannot be split into 1000 layers");
}

}  // namespace
}  // namespace seiche
