// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of started calls of exact exchange.
#include <optional>

#include "exact_exchange/case.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Calls progress() a different number of times on each rank.
void work_between(Pending& pending) {
  for (int i = 0; i < 7 * (rank() + 1); ++i) pending.progress();
}

void expect_direct_sum_later(const Case& of, const ExactExchangeOptions& options) {
  const Data data(of);
  auto exchange = make<Complex>(of, data, options);
  const auto in = data.in();
  std::vector<Complex> out(in.size()), sum = in;
  std::optional<OccupiedOrbitals<Complex>> occupied(make_occupied(exchange, of, data));
  auto kernel = data.kernel;
  Pending replaces = exchange.start_apply(*occupied, kernel, in, out, of.targets);
  Pending adds = exchange.start_apply(*occupied, data.kernel, in, sum, of.targets, Result::adds);
  occupied.reset();  // started calls keep the orbitals
  work_between(adds);
  work_between(replaces);
  replaces.finish();
  adds.finish();
  expect_close<Complex>(out, data.expected_here(), 2e-11);
  for (std::size_t i = 0; i < in.size(); ++i) sum[i] -= in[i];
  expect_close<Complex>(sum, data.expected_here(), 2e-11);
}

TEST(ExactExchangeStarted, EqualsTheDirectSum) {
  for (const Algorithm algorithm : ways_here()) {
    for (const int groups : groups_here()) {
      if (groups > 1 && algorithm == Algorithm::two_level) continue;
      const FftOptions fft{.policy = {.algorithm = algorithm, .window = 1 + groups}, .band_groups = groups};
      expect_direct_sum_later({.sticks = groups == 1, .weights = {1, 0.5, 0, 2, 0.25, 1}}, {.fft = fft, .batch = 2});
    }
  }
  expect_direct_sum_later({.components = 2}, {.fft = {.decomposition = Decomposition::pencil}, .batch = 3});
  expect_direct_sum_later({.q = 0.4}, {.fft = {.policy = {.progress = Progress::thread, .window = 3}}});
  expect_direct_sum_later({.targets = 0}, {});
  expect_direct_sum_later({.weights = {0, 0}}, {});
}

TEST(ExactExchangeStarted, EqualsTheDirectSumOnDevices) {
  for (const int groups : groups_here()) {
    expect_direct_sum_later({}, {.fft = {.policy = {.window = 2}, .band_groups = groups, .space = Space::cuda}});
  }
}

/// Messages of these algorithms start in any order, so that progress() needs no finish() on other ranks.
TEST(ExactExchangeStarted, ProgressAloneComputesTheFirstTargets) {
  const Case of{.weights = {1, 0.5, 2, 0.25, 1, 1, 0.5}};
  const Data data(of);
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::shared}) {
    for (const int groups : groups_here()) {
      auto exchange =
          make<Complex>(of, data, {.fft = {.policy = {.algorithm = algorithm, .window = 2}, .band_groups = groups}});
      const auto occupied = make_occupied(exchange, of, data);
      const auto in = data.in();
      std::vector<Complex> out(in.size());
      Pending call = exchange.start_apply(occupied, data.kernel, in, out, of.targets);
      while (!call.progress()) {
      }
      const double worked = exchange.progress().worked;
      EXPECT_GT(worked, 0);
      call.finish();
      expect_close<Complex>(out, data.expected_here(), 2e-11);
    }
  }
}

TEST(ExactExchangeStarted, WithoutFinishLeavesOtherCallsIntact) {
  const Case of{.targets = 7, .weights = {1, 0.5, 2, 0.25, 1, 1, 0.5}};
  const Data data(of);
  for (const int groups : groups_here()) {
    auto exchange = make<Complex>(of, data, {.fft = {.policy = {.window = 2}, .band_groups = groups}, .batch = 1});
    const auto occupied = make_occupied(exchange, of, data);
    const auto in = data.in();
    std::vector<Complex> out(in.size()), undefined(in.size());
    {
      Pending call = exchange.start_apply(occupied, data.kernel, in, undefined, of.targets);
      work_between(call);
    }
    Pending call = exchange.start_apply(occupied, data.kernel, in, out, of.targets);
    exchange.close();  // the call keeps the plans
    call.finish();
    expect_close<Complex>(out, data.expected_here(), 2e-11);
    expect_error(Fault::bad_argument, "this started call is finished: start another", [&] { call.progress(); });
  }
}

TEST(ExactExchangeStarted, ThrowsErrorsInFinishOnAllRanks) {
  const Case of{};
  const Data data(of);
  auto exchange = make<Complex>(of, data, {});
  const auto occupied = make_occupied(exchange, of, data);
  const auto in = data.in();
  std::vector<Complex> out(in.size());
  auto kernel = data.kernel;
  if (rank() == ranks() - 1) kernel.push_back(1);
  Pending wrong = exchange.start_apply(occupied, kernel, in, out, of.targets);
  EXPECT_TRUE(wrong.progress());
  expect_error(Fault::bad_argument, "exact exchange: the kernel needs one value for each of the ",
               [&] { wrong.finish(); });
  exchange.start_apply(occupied, data.kernel, in, out, of.targets).finish();
  expect_close<Complex>(out, data.expected_here(), 2e-11);
}

#ifdef SEICHE_CHECKS
TEST(ExactExchangeStarted, DetectsChangedInputs) {
  const Case of{};
  const Data data(of);
  auto exchange = make<Complex>(of, data, {});
  const auto occupied = make_occupied(exchange, of, data);
  for (const bool changes_kernel : {false, true}) {
    auto in = data.in();
    auto kernel = data.kernel;
    std::vector<Complex> out(in.size());
    Pending call = exchange.start_apply(occupied, kernel, in, out, of.targets);
    if (rank() == 0) (changes_kernel ? kernel[0] : reinterpret_cast<double*>(in.data())[0]) += 1;
    expect_error(Fault::bad_argument, "an input array of a started call was changed before finish()",
                 [&] { call.finish(); });
  }
}
#endif

}  // namespace
}  // namespace seiche::testing
