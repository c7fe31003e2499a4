// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of exact exchange against explicit convolutions, and of its bits.
#include <algorithm>
#include <cstring>

#include "comm/check.hpp"
#include "exact_exchange/case.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

TEST(ExactExchange, EqualsTheDirectSum) {
  for (const GridShape shape : {GridShape{6, 5, 8}, {7, 11, 5}, {9, 8, 1}}) {
    for (const int groups : groups_here()) {
      for (const bool sticks : {true, false}) {
        const int batch = static_cast<int>((shape.nx + groups + (sticks ? 1 : 0)) % 3);
        expect_direct_sum<Complex>({.shape = shape, .sticks = sticks},
                                   {.fft = {.band_groups = groups}, .batch = batch});
      }
    }
  }
}
TEST(ExactExchange, OfHalfSpheresEqualsTheDirectSum) {
  for (const GridShape shape : {GridShape{6, 5, 8}, {7, 11, 5}, {8, 1, 6}}) {
    for (const int groups : groups_here()) {
      for (const bool sticks : {true, false}) {
        expect_direct_sum<double>({.shape = shape, .half = true, .sticks = sticks},
                                  {.fft = {.band_groups = groups}, .batch = 1 + groups % 2});
      }
    }
  }
}
TEST(ExactExchange, OfSpinorsEqualsTheDirectSum) {
  for (const int groups : groups_here()) {
    expect_direct_sum<Complex>({.components = 2, .sticks = groups == 1}, {.fft = {.band_groups = groups}, .batch = 2});
    expect_direct_sum<double>({.components = 2, .half = true}, {.fft = {.band_groups = groups}});
  }
}
TEST(ExactExchange, OfOtherKPointsEqualsTheDirectSum) {
  for (const int groups : groups_here()) {
    expect_direct_sum<Complex>({.shape = {7, 6, 5}, .q = 0.4}, {.fft = {.band_groups = groups}});
    expect_direct_sum<Complex>({.components = 2, .q = -0.3, .sticks = false}, {.fft = {.band_groups = groups}});
  }
}
TEST(ExactExchange, WorksWithAllSettings) {
  const Case of{.targets = 7, .weights = {1, 1, -0.5, 2, 1}};
  for (const int groups : groups_here()) {
    for (const Algorithm algorithm : ways_here()) {
      for (const Decomposition decomposition : {Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz}) {
        const int window = 1 + static_cast<int>(algorithm) % 5, threads = 1 + static_cast<int>(decomposition) % 2;
        if (groups > 1 && algorithm == Algorithm::two_level) continue;
        ExactExchangeOptions options{.fft = {.policy = {.algorithm = algorithm, .window = window},
                                             .decomposition = decomposition,
                                             .threads = threads,
                                             .band_groups = groups},
                                     .batch = 2};
        expect_direct_sum<Complex>(of, options);
      }
    }
  }
}
TEST(ExactExchange, MayHaveMoreRanksThanPlanes) {
  expect_direct_sum<Complex>({.shape = {6, 5, 2}}, {});
  expect_direct_sum<double>({.shape = {5, 4, 2}, .half = true}, {});
}

TEST(ExactExchange, LeavesOutOrbitalsWithoutWeight) {
  const Case of{.weights = {0, 1, 0, 0, 2, 0}};
  for (const int groups : groups_here()) {
    expect_direct_sum<Complex>(of, {.fft = {.band_groups = groups}});
    const Data data(of);
    auto exchange = make<Complex>(of, data, {.fft = {.band_groups = groups}});
    EXPECT_EQ(make_occupied(exchange, of, data).count(), 2);
  }
}
TEST(ExactExchange, OfNoOrbitalsIsZero) {
  const Case of{.weights = {0, 0}};
  const Data data(of);
  auto exchange = make<Complex>(of, data, {});
  const auto none = make_occupied(exchange, of, data);
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.memory(), 0);
  const auto in = data.in();
  auto out = in;
  exchange.apply(none, data.kernel, in, out, of.targets, Result::adds);
  expect_equal(out, in);
  exchange.apply(none, data.kernel, in, out, of.targets);
  expect_equal(out, std::vector<Complex>(in.size()));
  EXPECT_EQ(exchange.energy(none, data.kernel, in, std::vector<double>(5, 1.0)), 0);
  const auto some = exchange.occupied(in, std::vector<double>(5, 1.0));
  exchange.apply(some, data.kernel, {}, {}, 0);
  EXPECT_EQ(exchange.energy(some, data.kernel, {}, {}), 0);
  EXPECT_EQ(exchange.occupied({}, {}).count(), 0);
}

TEST(ExactExchange, AddsAndReplacesInPlaceAndInPaddedRows) {
  const Case of{};
  const Data data(of);
  for (const int groups : groups_here()) {
    auto exchange = make<Complex>(of, data, {.fft = {.band_groups = groups}, .batch = 1});
    const auto occupied = make_occupied(exchange, of, data);
    const std::size_t length = data.mine.size() + 3;
    const auto expected = part_of_rows(data.expected, data.targets.waves.size(), data.mine, length);
    const auto in = data.in(length);
    auto out = in, sum = in;
    const auto row = static_cast<std::int64_t>(length);
    exchange.apply(occupied, data.kernel, {out, row}, {out, row}, of.targets);
    exchange.apply(occupied, data.kernel, {in, row}, {sum, row}, of.targets, Result::adds);
    for (std::size_t i = 0; i < in.size(); ++i) {
      compared(2);
      const bool padding = i % length >= data.mine.size();
      EXPECT_EQ(std::isnan(out[i].real()), padding);
      if (padding) continue;
      EXPECT_LE(std::abs(out[i] - expected[i]), 2e-11);
      EXPECT_LE(std::abs(sum[i] - in[i] - expected[i]), 2e-11);
    }
  }
}

TEST(ExactExchange, TakesOrbitalsThatAreOnTheGrid) {
  const Case of{.components = 2};
  const Data data(of);
  for (const int groups : groups_here()) {
    const FftOptions fft{.reproducible = true, .band_groups = groups, .components = 2};
    auto exchange = make<Complex>(of, data, {.fft = fft});
    const auto waves = part(data.occupied.waves, data.mine_occupied);
    const std::int64_t count = std::ssize(of.weights);
    SphereFft<Complex> sphere(MPI_COMM_WORLD, of.shape, waves, fft);
    EXPECT_EQ(exchange.grid_box(), sphere.grid_box());
    EXPECT_EQ(exchange.bands_here(count), sphere.bands_here(count));
    std::vector<Complex> grid(static_cast<std::size_t>(2 * sphere.bands_here(count) * sphere.grid_box().volume()));
    sphere.backward(data.in_occupied(), grid, count);
    const auto one = exchange.occupied_on_grid(grid, of.weights), other = make_occupied(exchange, of, data);
    const auto in = data.in();
    std::vector<Complex> out(in.size()), same(in.size());
    exchange.apply(one, data.kernel, in, out, of.targets);
    exchange.apply(other, data.kernel, in, same, of.targets);
    expect_equal(out, same);
  }
}

/// Checks V_x of the occupied orbitals themselves. The second weight is 0.
template <class Value>
void expect_own_pairs(const Case& of, ExactExchangeOptions options) {
  const Data data(of);
  auto exchange = make<Value>(of, data, std::move(options));
  const auto occupied = make_occupied(exchange, of, data);
  std::vector<Complex> expected = part_of_rows(data.sum.apply(data.occupied, of.weights, data.occupied),
                                               data.occupied.waves.size(), data.mine_occupied);
  const auto row = static_cast<std::ptrdiff_t>(of.components) * std::ssize(data.mine_occupied);
  expected.erase(expected.begin() + row, expected.begin() + 2 * row);
  std::vector<Complex> out(expected.size(), Complex(std::nan(""), 0));
  exchange.apply_to_occupied(occupied, data.kernel, out);
  expect_close<Complex>(out, expected, 2e-11);
  exchange.apply_to_occupied(occupied, data.kernel, out, Result::adds);
  for (Complex& value : expected) value *= 2;
  expect_close<Complex>(out, expected, 4e-11);
}

TEST(ExactExchange, AppliesToOccupiedOrbitals) {
  const std::vector<double> weights{1, 0, 2, 0.25, 0.75};
  for (const int groups : groups_here()) {
    for (const bool reproducible : {false, true}) {
      const ExactExchangeOptions options{.fft = {.reproducible = reproducible, .band_groups = groups}, .batch = 2};
      expect_own_pairs<Complex>({.shape = {7, 6, 5}, .weights = weights}, options);
      expect_own_pairs<Complex>({.components = 2, .sticks = false, .weights = weights}, options);
      expect_own_pairs<double>({.shape = {7, 6, 9}, .half = true, .weights = weights}, options);
      expect_own_pairs<double>({.half = true, .weights = {1, 0}}, options);
    }
  }
}

TEST(ExactExchange, NeedsHalfOfTheConvolutionsForOccupiedOrbitals) {
  if (ranks() == 1) GTEST_SKIP() << "counts messages";
  const Case of{.weights = std::vector<double>(8, 1.0)};
  const Data data(of);
  auto exchange = make<Complex>(of, data, {.fft = {.policy = {.algorithm = Algorithm::alltoallv}, .band_groups = 1}});
  const auto occupied = make_occupied(exchange, of, data);
  std::vector<Complex> out(8 * data.mine_occupied.size());
  const auto exchanges = [&](const auto& call) {
    mpi_profile::start_counting();
    call();
    return mpi_profile::counts()["MPI_Alltoallv"];
  };
  const auto all = exchanges([&] { exchange.apply(occupied, data.kernel, data.in_occupied(), out, 8); });
  const auto half = exchanges([&] { exchange.apply_to_occupied(occupied, data.kernel, out); });
  // 2 for each of 64 and 36 pairs; 8 for the targets, 1 for the check of the kernel
  EXPECT_EQ(all - half, 2 * 64 + 8 - (2 * 36 + 1));
  compared();
}

/// Returns V_x and the energy of all targets, computed by this rank alone.
template <class Value>
std::pair<std::vector<Complex>, double> alone(const Case& of, const Data& data) {
  ExactExchangeOptions options{.fft = {.reproducible = true, .components = static_cast<int>(of.components)}};
  ExactExchange<Value> exchange(MPI_COMM_SELF, of.shape, data.targets.waves, data.density_waves, options);
  const auto occupied = exchange.occupied(data.occupied.waves, data.occupied.values, of.weights);
  std::vector<double> kernel;
  for (const Miller& g : data.density_waves) kernel.push_back(kernel_of(g, of.q));
  std::vector<Complex> out(data.targets.values.size());
  exchange.apply(occupied, kernel, data.targets.values, out, of.targets);
  const std::vector<double> weights(static_cast<std::size_t>(of.targets), 0.7);
  return {out, exchange.energy(occupied, kernel, data.targets.values, weights)};
}

template <class Value>
void expect_same_bits(const Case& of) {
  const Data data(of);
  const auto [expected, energy] = alone<Value>(of, data);
  const auto here = part_of_rows(expected, data.targets.waves.size(), data.mine);
  for (const int groups : groups_here()) {
    for (const int batch : {1, 3}) {
      for (const auto& [decomposition, threads, window] :
           {std::tuple{Decomposition::slab, 1, 1}, {Decomposition::pencil, 2, 4}}) {
        auto exchange = make<Value>(of, data,
                                    {.fft = {.policy = {.window = window},
                                             .decomposition = decomposition,
                                             .threads = threads,
                                             .reproducible = true,
                                             .band_groups = groups},
                                     .batch = batch});
        const auto occupied = make_occupied(exchange, of, data);
        const auto in = data.in();
        std::vector<Complex> out(in.size());
        exchange.apply(occupied, data.kernel, in, out, of.targets);
        EXPECT_EQ(std::memcmp(out.data(), here.data(), here.size() * sizeof(Complex)), 0);
        EXPECT_EQ(exchange.energy(occupied, data.kernel, in, std::vector<double>(of.targets, 0.7)), energy);
        compared();
      }
    }
  }
}
TEST(ExactExchange, HasTheSameBitsOnAnyNumberOfRanks) {
  expect_same_bits<Complex>({.shape = {6, 7, 8}, .sticks = false, .weights = {1, 0.3, 0.7, 1.1, 0.2, 0.9, 1.3}});
  expect_same_bits<double>({.shape = {7, 6, 9}, .half = true, .weights = {1, 0.3, 0.7, 1.1, 0.2}});
  expect_same_bits<Complex>({.shape = {6, 5, 8}, .components = 2, .q = 0.4});
}

TEST(ExactExchange, SharesOccupiedOrbitalsBetweenObjects) {
  const Case of{}, other{.q = 0.4};
  const Data data(of), other_data(other);
  auto exchange = make<Complex>(of, data, {});
  auto occupied = make_occupied(exchange, of, data);
  exchange.close();  // orbitals are not affected
  auto next = make<Complex>(of, data, {.batch = 3});
  const auto in = data.in();
  std::vector<Complex> out(in.size());
  next.apply(occupied, data.kernel, in, out, of.targets);
  expect_close<Complex>(out, data.expected_here(), 2e-11);
  const auto moved = std::move(occupied);
  next.apply(moved, data.kernel, in, out, of.targets, Result::adds);
  next.apply(make_occupied(next, other, other_data), other_data.kernel, in, out, of.targets, Result::adds);
  auto expected = data.expected_here();
  const auto third = other_data.expected_here();
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2.0 * expected[i] + third[i];
  expect_close<Complex>(out, expected, 4e-11);
}

TEST(ExactExchange, SplitsLargeMessages) {
  if (ranks() == 1) GTEST_SKIP() << "needs messages between band groups";
  const Case of{};
  const Data data(of);
  // one rank per group: pair transforms send no messages
  auto exchange =
      make<Complex>(of, data, {.fft = {.policy = {.algorithm = Algorithm::pairwise}, .band_groups = ranks()}});
  const auto occupied = make_occupied(exchange, of, data);
  const auto in = data.in();
  std::vector<Complex> out(in.size());
  set_count_limit(50);
  exchange.apply(occupied, data.kernel, in, out, of.targets);
  set_count_limit(std::numeric_limits<std::int32_t>::max());
  expect_close<Complex>(out, data.expected_here(), 2e-11);
}

TEST(ExactExchange, PassesEachOrbitalOnOncePerSetOfTargets) {
  if (ranks() == 1) GTEST_SKIP() << "needs messages between band groups";
  const Case of{.targets = 4 * ranks(), .weights = std::vector<double>(static_cast<std::size_t>(2 * ranks()), 1.0)};
  const Data data(of);
  for (const int batch : {4, 2, 1}) {
    // one rank per group: pair transforms send no messages
    auto exchange = make<Complex>(
        of, data, {.fft = {.policy = {.algorithm = Algorithm::alltoallv}, .band_groups = ranks()}, .batch = batch});
    const auto occupied = make_occupied(exchange, of, data);
    const auto in = data.in();
    std::vector<Complex> out(in.size());
    mpi_profile::start_counting();
    exchange.apply(occupied, data.kernel, in, out, of.targets);
    EXPECT_EQ(mpi_profile::counts()["MPI_Isend"], 4 / batch * 2 * (ranks() - 1));
    compared();
  }
}

TEST(ExactExchange, ReportsItsSettingsAndMemory) {
  const Case of{.components = 2};
  const Data data(of);
  const int groups = ranks();
  const FftOptions fft{.policy = {.window = 3}, .band_groups = groups};
  auto exchange = make<Complex>(of, data, {.fft = fft});
  auto small = make<Complex>(of, data, {.fft = fft, .batch = 1});
  EXPECT_EQ(exchange.report().batch, 8);
  EXPECT_EQ(small.report().batch, 1);
  EXPECT_EQ(exchange.report().orbitals.band_groups, groups);
  EXPECT_EQ(exchange.report().pairs.band_groups, groups);
  const std::int64_t orbital = 2 * exchange.grid_box().volume() * std::int64_t{sizeof(Complex)};
  EXPECT_EQ(exchange.report().memory - small.report().memory, 7 * 2 * orbital);
  const auto occupied = make_occupied(exchange, of, data);
  EXPECT_EQ(occupied.memory(), exchange.bands_here(4) * orbital);
  const std::int64_t rounds = 3;  // with a window of 3 and several groups
  const std::int64_t beside = small.report().orbitals.memory + small.report().pairs.memory;
  EXPECT_GE(small.report().memory, beside + (2 + rounds * (groups - 1)) * orbital);
  const double before = exchange.progress().worked;
  const auto in = data.in();
  std::vector<Complex> out(in.size());
  exchange.apply(occupied, data.kernel, in, out, of.targets);
  EXPECT_GT(exchange.progress().worked, before);
  compared(10);
}

}  // namespace
}  // namespace seiche::testing
