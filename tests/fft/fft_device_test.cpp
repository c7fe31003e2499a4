// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays of the caller in memory of a CUDA device, which sphere plans use in place.
#include <gtest/gtest.h>

#include "comm/node.hpp"
#include "device/cuda.hpp"
#include "fft/known_bands.hpp"
#include "seiche/device_memory.hpp"

namespace seiche::testing {
namespace {

/// Copies an array to device memory.
template <class T>
DeviceArray<T> on_device(const std::vector<T>& values) {
  return DeviceArray<T>(std::span<const T>(values));
}

std::vector<double> potential_on(const Box& box) {
  std::vector<double> values;
  each_point(box,
             [&](std::size_t whole, std::size_t) { values.push_back(1 + 0.01 * static_cast<double>(whole % 97)); });
  return values;
}

TEST(CudaArrays, ArePotentialsAndBands) {
  constexpr std::int64_t bands = 5;
  const Known known(true, bands);
  SphereFft<Complex> host(MPI_COMM_WORLD, shape, known.mine, {.band_groups = ranks()});
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, {.space = Space::cuda});
  const auto potential = potential_on(fft.grid_box());
  const auto there = on_device(potential);
  std::vector<Complex> want = known.in;
  host.apply_potential(known.in, want, bands, potential);
  for (const Result result : {Result::replaces, Result::adds}) {
    const auto in = on_device(known.in), out = on_device(known.in);
    std::vector<Complex> mixed = known.in;
    fft.apply_potential(in.span(), out.span(), bands, there.span(), result);
    fft.apply_potential(in.span(), mixed, bands, there.span(), result);
    std::vector<Complex> sum = want;
    for (std::size_t i = 0; i < sum.size() && result == Result::adds; ++i) sum[i] += known.in[i];
    expect_close<Complex>(out.values(), sum, 1e-12);
    expect_close<Complex>(mixed, sum, 1e-12);
  }
  const auto same = on_device(known.in);
  fft.apply_potential(same.span(), same.span(), bands, potential);
  expect_close<Complex>(same.values(), want, 1e-12);
}

TEST(CudaArrays, AreDensitiesAndGrids) {
  constexpr std::int64_t bands = 4;
  const Known known(false, bands);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, {.space = Space::cuda});
  const auto in = on_device(known.in), back = on_device(known.in);
  const auto points = static_cast<std::size_t>(fft.grid_box().volume());
  const std::vector<double> before(points, 0.5);
  const auto density = on_device(before);
  std::vector<double> on_host = before, want = before;
  fft.add_density(in.span(), weights(bands), bands, density.span());
  fft.add_density(in.span(), weights(bands), bands, on_host);
  const auto first = static_cast<std::size_t>(fft.first_band_here()), step = static_cast<std::size_t>(ranks());
  std::vector<Complex> values;
  for (std::size_t b = first; b < static_cast<std::size_t>(bands); b += step) {
    each_point(fft.grid_box(), [&](std::size_t whole, std::size_t here) {
      want[here] += weight_of(b) * std::norm(known.values[b][whole]);
      values.push_back(known.values[b][whole]);
    });
  }
  expect_close<double>(density.values(), want, 1e-10);
  expect_close<double>(on_host, want, 1e-10);

  const auto grid = on_device(std::vector<Complex>(values.size()));
  fft.backward(in.span(), grid.span(), bands);
  expect_close<Complex>(grid.values(), values, 1e-11);
  fft.forward(grid.span(), back.span(), bands);
  expect_close<Complex>(back.values(), known.in, 1e-11);
}

/// Programs may write their arrays in the default stream without waiting.
TEST(CudaArrays, AreReadAfterTheDefaultStream) {
  constexpr std::int64_t bands = 2;
  const Known known(true, bands);
  SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine, {.space = Space::cuda});
  const auto potential = potential_on(fft.grid_box());
  std::vector<Complex> want(known.in.size()), out(known.in.size());
  fft.apply_potential(known.in, want, bands, potential);
  const DeviceArray<Complex> in(known.in.size());
  const auto legacy = cuda_device().stream(reinterpret_cast<void*>(1));
  for (int i = 0; i < 20; ++i) legacy->zero(in.span().data(), in.span().size_bytes());
  legacy->copy(known.in.data(), in.span().data(), in.span().size_bytes());
  fft.apply_potential(in.span(), out, bands, potential);
  expect_close<Complex>(out, want, 1e-13);
}

/// Sends from the device between nodes, as if ranks were on several nodes, and elsewhere if the algorithm is named.
TEST(CudaArrays, ReportTheMemoryOfMessages) {
  constexpr std::int64_t bands = 5;
  const Known known(true, bands);
  const auto messages = [&](int ranks_of_node, const Policy& policy, int groups) {
    set_ranks_per_node(ranks_of_node);
    SphereFft<Complex> fft(MPI_COMM_WORLD, shape, known.mine,
                           {.policy = policy, .band_groups = groups, .space = Space::cuda});
    DenseFft<Complex> dense(MPI_COMM_WORLD, shape, {.policy = policy, .space = Space::cuda});
    set_ranks_per_node(0);
    const auto potential = potential_on(fft.grid_box());
    std::vector<Complex> out = known.in, want = known.in;
    SphereFft<Complex>(MPI_COMM_WORLD, shape, known.mine, {.band_groups = groups})
        .apply_potential(known.in, want, bands, potential);
    fft.apply_potential(known.in, out, bands, potential);
    expect_close<Complex>(out, want, 1e-12);
    EXPECT_EQ(dense.report().messages, fft.report().messages);
    return ranks() == 1 ? std::string("one rank") : fft.report().messages;
  };
  const auto expect = [&](const std::string& found, const char* memory) {
    expect_equal(found, std::string(ranks() == 1 ? "one rank" : memory));
  };
  for (const int groups : {1, ranks()}) {
    expect(messages(0, {.window = 4}, groups), "none");
    expect(messages(1, {.window = 5}, groups), "device");
    expect(messages(0, {.algorithm = Algorithm::alltoallv, .window = 4}, groups), "device");
    expect(messages(0, {.algorithm = Algorithm::ialltoallv, .window = 4}, groups), "host");
    const SendsFromHost without;
    expect(messages(1, {.window = 6}, groups), "host");
    expect(messages(0, {.algorithm = Algorithm::alltoallv, .window = 6}, groups), "host");
  }
}

TEST(CudaArrays, OfSpheresNeedSlabs) {
  expect_error(Fault::unsupported, "the space 'cuda' supports slabs only (got decomposition pencil)", [] {
    SphereFft<Complex>(MPI_COMM_WORLD, shape, {}, {.decomposition = Decomposition::pencil, .space = Space::cuda});
  });
}

}  // namespace
}  // namespace seiche::testing
