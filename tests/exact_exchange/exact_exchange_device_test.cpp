// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of exact exchange on devices, against explicit convolutions.
#include <gtest/gtest.h>

#include "exact_exchange/case.hpp"
#include "seiche/device_memory.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

TEST(ExactExchangeOnDevices, EqualsTheDirectSum) {
  for (const int groups : groups_here()) {
    for (const bool sticks : {true, false}) {
      const int batch = sticks ? 1 : 3, window = 1 + groups % 3;
      const FftOptions fft{.policy = {.window = window}, .band_groups = groups, .space = Space::cuda};
      expect_direct_sum<Complex>({.shape = {7, 6, 5}, .q = 0.4, .sticks = sticks}, {.fft = fft, .batch = batch});
      expect_direct_sum<double>({.half = true, .sticks = sticks}, {.fft = fft, .batch = batch});
      expect_direct_sum<Complex>({.components = 2, .sticks = sticks, .targets = 3}, {.fft = fft, .batch = batch});
      expect_direct_sum<double>({.components = 2, .half = true, .targets = 3}, {.fft = fft, .batch = batch});
    }
  }
}

TEST(ExactExchangeOnDevices, WorksWithAllAlgorithms) {
  const Case of{.targets = 7, .weights = {1, 0, -0.5, 2, 1}};
  for (const Algorithm algorithm : ways_here()) {
    expect_direct_sum<Complex>(of, {.fft = {.policy = {.algorithm = algorithm, .window = 2}, .space = Space::cuda}});
  }
}

TEST(ExactExchangeOnDevices, UsesKernelsOfItsOwn) {
  const FftOptions fft{.space = Space::cuda};
  const Case of{.shape = {24, 28, 30}, .targets = 2, .weights = {1, 0.5, 2}};
  const Case half{.shape = {28, 24, 30}, .half = true, .targets = 2, .weights = {1, 0.5, 2}};
  EXPECT_EQ(make<Complex>(of, Data(of), {.fft = fft}).report().pairs.library, "five kernels");
  expect_direct_sum<Complex>(of, {.fft = fft});
  expect_direct_sum<double>(half, {.fft = fft});
}

template <class T>
DeviceArray<T> on_device(const std::vector<T>& values) {
  return DeviceArray<T>(std::span<const T>(values));
}

TEST(ExactExchangeOnDevices, TakesArraysInDeviceMemory) {
  const Case of{.components = 2, .targets = 3};
  const Data data(of);
  for (const int groups : groups_here()) {
    auto exchange = make<Complex>(of, data, {.fft = {.band_groups = groups, .space = Space::cuda}, .batch = 1});
    const auto psi = on_device(data.in_occupied());
    const auto occupied = exchange.occupied(part(data.occupied.waves, data.mine_occupied), psi.span(), of.weights);
    const auto kernel = on_device(data.kernel);
    const auto in = on_device(data.in()), out = on_device(data.in());
    exchange.apply(occupied, kernel.span(), in.span(), out.span(), of.targets, Result::adds);
    auto expected = data.expected_here();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += data.in()[i];
    expect_close<Complex>(out.values(), expected, 2e-11);
    exchange.apply(occupied, kernel.span(), in.span(), in.span(), of.targets);
    expect_close<Complex>(in.values(), data.expected_here(), 2e-11);
    const std::vector<double> weights(3, 0.5);
    EXPECT_NEAR(exchange.energy(occupied, kernel.span(), on_device(data.in()).span(), weights),
                data.sum.energy(data.targets, weights, data.expected), 1e-10);
  }
}

TEST(ExactExchangeOnDevices, AppliesToOccupiedOrbitals) {
  const Case of{.components = 2, .weights = {1, 0, 0.5, 2}};
  const Data data(of);
  Orbitals own{data.occupied.waves, 3, 2};
  for (const std::int64_t orbital : {0, 2, 3}) {
    const Complex* first = data.occupied.row(orbital, 0);
    own.values.insert(own.values.end(), first, first + 2 * std::ssize(own.waves));
  }
  const auto expected =
      part_of_rows(data.sum.apply(data.occupied, of.weights, own), own.waves.size(), data.mine_occupied);
  for (const int groups : groups_here()) {
    auto exchange = make<Complex>(of, data, {.fft = {.band_groups = groups, .space = Space::cuda}, .batch = 2});
    std::vector<Complex> out(expected.size());
    exchange.apply_to_occupied(make_occupied(exchange, of, data), data.kernel, out);
    expect_close<Complex>(out, expected, 2e-11);
  }
}

TEST(ExactExchangeOnDevices, TakesOrbitalsThatAreOnTheGrid) {
  const Case of{};
  const Data data(of);
  const FftOptions fft{.space = Space::cuda};
  auto exchange = make<Complex>(of, data, {.fft = fft});
  const std::int64_t count = std::ssize(of.weights);
  SphereFft<Complex> sphere(MPI_COMM_WORLD, of.shape, part(data.occupied.waves, data.mine_occupied), fft);
  EXPECT_EQ(exchange.grid_box(), sphere.grid_box());
  const DeviceArray<Complex> grid(static_cast<std::size_t>(sphere.bands_here(count) * sphere.grid_box().volume()));
  sphere.backward(data.in_occupied(), grid.span(), count);
  std::vector<Complex> out(data.in().size()), same = out;
  exchange.apply(exchange.occupied_on_grid(grid.span(), of.weights), data.kernel, data.in(), out, of.targets);
  expect_close<Complex>(out, data.expected_here(), 2e-11);
  exchange.apply(exchange.occupied_on_grid(grid.values(), of.weights), data.kernel, data.in(), same, of.targets);
  expect_equal(out, same);
}

TEST(ExactExchangeOnDevices, HasTheSameBitsOnAnyNumberOfGroups) {
  const Case of{.targets = 3};
  const Data data(of);
  std::vector<std::vector<Complex>> results;
  for (const int groups : groups_here()) {
    auto exchange = make<Complex>(
        of, data, {.fft = {.reproducible = true, .band_groups = groups, .space = Space::cuda}, .batch = 2});
    results.emplace_back(data.in().size());
    exchange.apply(make_occupied(exchange, of, data), data.kernel, data.in(), results.back(), of.targets);
    expect_equal(results.back(), results.front());
  }
}

TEST(ExactExchangeOnDevices, ReportsItsMemory) {
  const Case of{};
  const Data data(of);
  const FftOptions fft{.band_groups = ranks(), .space = Space::cuda};
  auto exchange = make<Complex>(of, data, {.fft = fft});
  auto small = make<Complex>(of, data, {.fft = fft, .batch = 1});
  const std::int64_t orbital = exchange.grid_box().volume() * std::int64_t{sizeof(Complex)};
  EXPECT_EQ(exchange.report().memory - small.report().memory, 7 * 2 * orbital);
  EXPECT_EQ(make_occupied(exchange, of, data).memory(), exchange.bands_here(4) * orbital);
  const std::int64_t messages = ranks() == 1 ? 0 : ranks() * orbital;
  EXPECT_GE(small.report().memory,
            small.report().orbitals.memory + small.report().pairs.memory + 2 * orbital + messages);
  compared(3);
}

TEST(ExactExchangeOnDevices, RefusesOrbitalsInOtherMemory) {
  const Case of{};
  const Data data(of);
  auto host = make<Complex>(of, data, {}), device = make<Complex>(of, data, {.fft = {.space = Space::cuda}});
  const auto there = make_occupied(device, of, data);
  std::vector<Complex> out(data.in().size());
  expect_error(Fault::bad_argument, "number of components or memory space: create them with the same options",
               [&] { host.apply(there, data.kernel, data.in(), out, of.targets); });
}

TEST(ExactExchangeOnDevices, NeedsSlabs) {
  const Case of{};
  const Data data(of);
  expect_error(Fault::unsupported, "the space 'cuda' supports slabs only (got decomposition pencil)", [&] {
    make<Complex>(of, data, {.fft = {.decomposition = Decomposition::pencil, .space = Space::cuda}});
  });
}

}  // namespace
}  // namespace seiche::testing
