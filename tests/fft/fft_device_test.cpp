// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of plans on devices besides correct values: streams, memory of messages, callbacks, and errors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "cuda/emulated_cuda.hpp"
#include "fft/exchange_only.hpp"
#include "fft/sphere_verbs.hpp"
#include "support/topology.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

class SphereOnADevice : public ::testing::Test {
 protected:
  SphereFft<Complex> plan(std::int64_t stream = 0) const { return of_.plan({.space = Space::cuda, .stream = stream}); }
  /// Checks that a plan multiplies bands by the factors of callbacks.
  void expect_factors(SphereFft<Complex>& fft) const {
    std::vector<Complex> out(of_.in.size());
    fft.round_trip(of_.in, out, of_.bands, start_factors<Complex>);
    expect_close<Complex>(out, want_, of_.tolerance);
  }
  const Bands<Complex> of_{{.shape = {8, 5, 7}, .spread = Spread::cyclic, .bands = 4}};
  const std::vector<Complex> want_ = of_.coefficients_of([&](std::int64_t band, std::int64_t, std::size_t at) {
    const auto row = static_cast<std::int64_t>(at) / of_.shape.nx;
    return of_.row(band, 0)[at] * factor_of_plane(band, 0, row / of_.shape.ny) * factor_of_row(row % of_.shape.ny);
  });
};

/// Programs may write their arrays in the default stream without waiting.
TEST_F(SphereOnADevice, ReadsArraysAfterTheDefaultStream) {
  SphereFft<Complex> fft = plan();
  std::vector<Complex> out(of_.in.size());
  const std::vector<double> potential(static_cast<std::size_t>(fft.grid_box().volume()), 3);
  const DeviceArray<Complex> in(of_.in.size());
  const auto legacy = cuda_device().stream(reinterpret_cast<void*>(1));
  for (int i = 0; i < 20; ++i) legacy->zero(in.span().data(), in.span().size_bytes());
  legacy->copy(of_.in.data(), in.span().data(), in.span().size_bytes());
  fft.apply_potential(in.span(), out, of_.bands, potential);
  expect_close<Complex>(out, times(of_.in, 3), of_.tolerance);
}

TEST_F(SphereOnADevice, PassesTheStreamOfTheCaller) {
  constexpr std::int64_t legacy = 1;
  SphereFft<Complex> fft = plan(legacy);
  fft.to_grid(of_.in, of_.bands, [&](const DeviceBands<Complex>& on) { EXPECT_EQ(on.stream, legacy); });
  expect_factors(fft);
  plan().to_grid(of_.in, of_.bands, [&](const DeviceBands<Complex>& on) { EXPECT_NE(on.stream, 0); });
}

TEST_F(SphereOnADevice, TransformsBandsInPlace) {
  const DeviceArray<Complex> bands(of_.in);
  plan().round_trip(bands.span(), bands.span(), of_.bands, start_factors<Complex>);
  expect_close<Complex>(bands.values(), want_, of_.tolerance);
}

/// Sends from the device between nodes, as if ranks were on several nodes, and elsewhere if the algorithm is named.
TEST_F(SphereOnADevice, ReportsTheMemoryOfMessages) {
  const auto messages = [&](int ranks_of_node, const Policy& policy, int groups) {
    const EmulatedNodes nodes(ranks_of_node);
    SphereFft<Complex> fft = of_.plan({.policy = policy, .band_groups = groups, .space = Space::cuda});
    DenseFft<Complex> dense(MPI_COMM_WORLD, of_.shape, {.policy = policy, .space = Space::cuda});
    expect_factors(fft);
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

TEST_F(SphereOnADevice, CallsNoFunctionWithoutBands) {
  SphereFft<Complex> fft = plan();
  std::vector<Complex> none;
  fft.round_trip({}, none, 0, [](const DeviceBands<Complex>&) { ADD_FAILURE() << "called"; });
  compared();
}

/// An error of one rank in a callback is thrown on all ranks.
TEST_F(SphereOnADevice, ThrowsErrorsOfCallbacks) {
  for (const FftOptions& options :
       {FftOptions{.space = Space::cuda},
        FftOptions{.policy = {.algorithm = Algorithm::pairwise, .window = 3}, .band_groups = 1, .space = Space::cuda},
        FftOptions{.policy = {.algorithm = Algorithm::ialltoallv}, .band_groups = ranks(), .space = Space::cuda}}) {
    SphereFft<Complex> fft = of_.plan(options);
    std::vector<Complex> out(of_.in.size());
    const auto throws = [&](const DeviceBands<Complex>& on) {
      const bool has_band = on.first <= 2 && 2 < on.first + on.count * on.step && (2 - on.first) % on.step == 0;
      if (has_band && on.box.axis[2].low == 0) throw std::runtime_error("no kernel for band 2");
    };
    expect_error(Fault::internal, "no kernel for band 2", [&] { fft.round_trip(of_.in, out, of_.bands, throws); });
    expect_error(Fault::internal, "no kernel for band 2", [&] { fft.to_grid(of_.in, of_.bands, throws); });
    expect_factors(fft);
    expect_error(Fault::bad_argument, "fft: a callback used the plan that called it",
                 [&] { fft.to_grid(of_.in, of_.bands, [&](const DeviceBands<Complex>&) { exchange_only(fft, 1); }); });
  }
}

TEST_F(SphereOnADevice, ChecksArguments) {
  SphereFft<Complex> host = of_.plan(), fft = plan();
  const std::string of_host =
      " with a callback on a device needs a plan on a device, but this plan is on the host: create the plan with the "
      "space "
      "'cuda', or use a callback on the host";
  std::vector<Complex> out(of_.in.size());
  const std::int64_t row = rank() == ranks() - 1 ? -1 : 0;
  const auto nothing = [](const DeviceBands<Complex>&) { ADD_FAILURE() << "called"; };
  expect_error(Fault::unsupported, "fft: round_trip" + of_host, [&] { host.round_trip(of_.in, out, 4, nothing); });
  expect_error(Fault::unsupported, "fft: to_grid" + of_host, [&] { host.to_grid(of_.in, 4, nothing); });
  const std::string size = "fft: wrong row length of the ";
  expect_error(Fault::bad_argument, size, [&] { fft.round_trip({of_.in, row}, out, 4, nothing); });
  expect_error(Fault::bad_argument, size, [&] { fft.round_trip(of_.in, {out, row}, 4, nothing); });
  expect_error(Fault::bad_argument, size, [&] { fft.to_grid({of_.in, row}, 4, nothing); });
  expect_error(Fault::unsupported, "the space 'cuda' supports slabs only (got decomposition pencil)",
               [&] { of_.plan({.decomposition = Decomposition::pencil, .space = Space::cuda}); });
}

/// Rank 0 passes an array on another device.
TEST_F(SphereOnADevice, RejectsArraysOnAnotherDevice) {
  SphereFft<Complex> fft = plan();
  const EmulatedCuda cuda;
  void* there = nullptr;
  cuda.set_device(0);
  cuda.allocate(&there, of_.in.size() * sizeof(Complex));
  cuda.set_device(1);
  const std::span in(rank() == 0 ? static_cast<const Complex*>(there) : of_.in.data(), of_.in.size());
  std::vector<Complex> out(of_.in.size());
  const std::string error = "an array is in memory of CUDA device 0, but this process computes on device 1";
  expect_error(Fault::bad_argument, error, [&] { fft.round_trip(in, out, of_.bands, start_factors<Complex>); });
  auto stream = fft.open_stream([](std::int64_t, const Box&, const View<Complex>&) {});
  stream.add(in, of_.bands);
  expect_error(Fault::bad_argument, error, [&] { stream.finish(); });
  expect_factors(fft);
  cuda.free(there);
}

TEST(DeviceArrays, AreViewsInAStream) {
  const std::vector<double> numbers{1, 2, 3}, others{4, 5, 6};
  const DeviceArray<double> own(numbers);
  const DeviceArray<double> view(own.span().data() + 1, 2, 1);  // the legacy stream
  expect_equal(view.values(), std::vector<double>{2, 3});
  const DeviceMemory memory(own.span().data(), 2 * sizeof(double), 1);
  memory.write(others.data(), memory.size());
  expect_equal(own.values(), std::vector<double>{4, 5, 3});
  expect_error(Fault::bad_argument, "device memory has 16 bytes (got 24 bytes to copy)",
               [&] { memory.write(others.data(), 24); });
}

/// All ranks throw the error of one rank.
TEST(DenseOnADevice, NeedsCufft) {
  if (rank() == ranks() - 1) setenv("SEICHE_EMULATED_NO_CUFFT", "1", 1);
  expect_error(Fault::unsupported, "these transforms need the library cuFFT", [] {
    DenseFft<Wide>(MPI_COMM_WORLD, {11, 12, 13}, {.space = Space::cuda});
  });
  unsetenv("SEICHE_EMULATED_NO_CUFFT");
  EXPECT_EQ(DenseFft<Wide>(MPI_COMM_WORLD, {11, 12, 13}, {.space = Space::cuda}).report().library, "cuFFT");
}

}  // namespace
}  // namespace seiche::testing
