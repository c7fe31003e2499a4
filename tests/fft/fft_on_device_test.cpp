// SPDX-License-Identifier: BSD-3-Clause
/// \file  Callbacks that start kernels on bands in device memory, against sums by the definition.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cuda/emulated_cuda.hpp"
#include "device/cuda.hpp"
#include "seiche/device_memory.hpp"
#include "support/bands.hpp"
#include "support/oracle.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Factors that a callback applies. They depend on all indices but x.
double factor_of_plane(std::int64_t band, std::int64_t component, std::int64_t z) {
  return 1 + 0.125 * static_cast<double>((3 * band + 5 * component + z) % 7);
}
double factor_of_row(std::int64_t y) { return 0.5 + 0.25 * static_cast<double>(y % 5); }

/// Bands on waves that are distributed over the ranks, their values on the grid, and the coefficients of the values
/// times the factors.
template <class Value>
struct Trip {
  using Number = typename ComplexOf<Value>::type;
  static constexpr bool half = std::is_floating_point_v<Value>;
  static constexpr double tolerance = sizeof(Number) == sizeof(Complex) ? 1e-12 : 1e-4;

  Trip(const GridShape& of, std::int64_t number, int of_band) : shape(of), bands(number), components(of_band) {
    std::vector<Miller> all;
    for (const Miller& g : waves_of_radius(2)) {
      const auto fits = [](std::int64_t i, std::int64_t n) { return 2 * std::abs(i) < n; };
      if (fits(g.x, shape.nx) && fits(g.y, shape.ny) && fits(g.z, shape.nz) && (!half || in_half(g))) all.push_back(g);
    }
    waves = share_of(all, false);
    for (std::int64_t row = 0; row < bands * components; ++row) add_row(all, row);
  }

  FftOptions with(FftOptions options) const {
    options.components = components;
    return options;
  }
  /// Returns the values on a box of some bands.
  std::vector<Value> on_box(const Box& box, std::int64_t first, std::int64_t count, std::int64_t step) const {
    std::vector<Value> all;
    for (std::int64_t i = 0; i < count * components; ++i) {
      const auto& row = values[static_cast<std::size_t>((first + i / components * step) * components + i % components)];
      for (std::int64_t z = box.axis[2].low; z < box.axis[2].high; ++z) {
        for (std::int64_t y = box.axis[1].low; y < box.axis[1].high; ++y) {
          for (std::int64_t x = 0; x < shape.nx; ++x) all.push_back(narrow(row[place({int(x), int(y), int(z)})]));
        }
      }
    }
    return all;
  }

  GridShape shape;
  std::int64_t bands;
  int components;
  std::vector<Miller> waves;              // of this rank
  std::vector<Number> in, want;           // its coefficients
  std::vector<std::vector<Wide>> values;  // [row][point of the whole grid]

 private:
  static Value narrow(const Wide& value) {
    if constexpr (half) {
      return static_cast<Value>(value.real());
    } else {
      return static_cast<Value>(value);
    }
  }
  std::size_t place(const Miller& g) const {
    const auto wrap = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
    return static_cast<std::size_t>(wrap(g.x, shape.nx) +
                                    shape.nx * (wrap(g.y, shape.ny) + shape.ny * wrap(g.z, shape.nz)));
  }
  void add_row(const std::vector<Miller>& all, std::int64_t row) {
    auto c = random_values(std::ssize(all), 40 + static_cast<unsigned>(row));
    std::vector<Wide> box(static_cast<std::size_t>(shape.volume()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Miller g = all[i];
      if (half && g == Miller{}) c[i] = c[i].real();
      box[place(g)] += c[i];
      if (half && !(g == Miller{})) box[place({-g.x, -g.y, -g.z})] += std::conj(c[i]);
    }
    values.push_back(shared_fourier_sum(box, shape, +1));
    auto product = values.back();
    for (std::size_t at = 0; at < product.size(); ++at) {
      const auto point = static_cast<std::int64_t>(at);
      product[at] *= factor_of_plane(row / components, row % components, point / (shape.nx * shape.ny)) *
                     factor_of_row(point / shape.nx % shape.ny);
    }
    const auto spectrum = shared_fourier_sum(product, shape, -1);
    for (const Miller& g : waves) {
      const auto i = static_cast<std::size_t>(std::find(all.begin(), all.end(), g) - all.begin());
      in.push_back(static_cast<Number>(c[i]));
      want.push_back(static_cast<Number>(spectrum[place(g)] / static_cast<double>(shape.volume())));
    }
  }
};

/// Multiplies the values by the factors, by kernels in the stream.
template <class Value>
void start_factors(const DeviceBands<Value>& on) {
  const std::int64_t nx = on.box.size(0), ny = on.box.size(1), nz = on.box.size(2);
  constexpr bool single = !std::is_same_v<decltype(std::real(Value{})), double>;
  const auto stream = cuda_device().stream(reinterpret_cast<void*>(on.stream));
  const auto scale = [&](Value* first, const DeviceBox& box, double factor) {
    stream->scale_box(first, box, sizeof(Value), single, factor);
  };
  for (std::int64_t row = 0; row < on.count * on.components; ++row) {
    Value* values = on.values + row * on.box.volume();
    const std::int64_t band = on.first + row / on.components * on.step;
    for (std::int64_t z = 0; z < nz; ++z) {
      scale(values + z * nx * ny, {{nx * ny, 1, 1}, {1, 0, 0}},
            factor_of_plane(band, row % on.components, on.box.axis[2].low + z));
    }
    for (std::int64_t y = 0; y < ny; ++y) {
      scale(values + y * nx, {{nx, 1, nz}, {1, 0, nx * ny}}, factor_of_row(on.box.axis[1].low + y));
    }
  }
}

/// Returns a copy of the values.
template <class Value>
std::vector<Value> copy_of(const DeviceBands<Value>& on) {
  const auto size = static_cast<std::size_t>(on.count * on.components * on.box.volume());
  return DeviceArray<Value>(on.values, size, on.stream).values();
}

/// Options of plans on devices.
std::vector<FftOptions> on_devices() {
  return {{.space = Space::cuda},
          {.policy = {.algorithm = Algorithm::pairwise, .window = 3}, .band_groups = 1, .space = Space::cuda},
          {.policy = {.algorithm = Algorithm::ialltoallv, .window = 2}, .band_groups = ranks(), .space = Space::cuda}};
}

/// Counts the calls for each band, and checks what they tell.
template <class Value>
struct Calls {
  const SphereFft<Value>& fft;
  const Trip<Value>& trip;
  std::vector<int> of_band = std::vector<int>(static_cast<std::size_t>(trip.bands));
  std::int64_t most = 0;  // bands of one call

  void add(const DeviceBands<Value>& on) {
    EXPECT_EQ(on.box, fft.grid_box());
    EXPECT_EQ(on.components, trip.components);
    EXPECT_EQ(on.step, fft.report().band_groups);
    for (std::int64_t i = 0; i < on.count; ++i) ++of_band.at(static_cast<std::size_t>(on.first + i * on.step));
    most = std::max(most, on.count);
  }
  void expect_each_band() const {
    std::vector<int> want(of_band.size());
    for (std::int64_t b = fft.first_band_here(); b < trip.bands; b += fft.report().band_groups) {
      want[static_cast<std::size_t>(b)] = fft.grid_box().empty() ? 0 : 1;
    }
    expect_equal(of_band, want);
  }
};

template <class Value>
void check_trip(const Trip<Value>& trip, const FftOptions& options) {
  using Number = typename ComplexOf<Value>::type;
  SCOPED_TRACE("band groups " + std::to_string(options.band_groups) + " components " + std::to_string(trip.components));
  SphereFft<Value> fft(MPI_COMM_WORLD, trip.shape, trip.waves, trip.with(options));
  for (const Result result : {Result::replaces, Result::adds}) {
    Calls<Value> calls{fft, trip};
    std::vector<Number> out = trip.in, want = trip.want;
    for (std::size_t i = 0; i < want.size() && result == Result::adds; ++i) want[i] += trip.in[i];
    fft.round_trip_on_device(
        trip.in, out, trip.bands,
        [&](const DeviceBands<Value>& on) {
          calls.add(on);
          start_factors(on);
        },
        result);
    calls.expect_each_band();
    expect_close<Number>(out, want, trip.tolerance);
    const bool several = trip.bands > 3 * ranks() && !fft.grid_box().empty();
    EXPECT_GE(calls.most, several ? 2 : 0);
  }
  Calls<Value> calls{fft, trip};
  fft.to_grid_on_device(trip.in, trip.bands, [&](const DeviceBands<Value>& on) {
    calls.add(on);
    EXPECT_NE(on.stream, 0);
    expect_close<Value>(copy_of(on), trip.on_box(on.box, on.first, on.count, on.step), 10 * trip.tolerance);
  });
  calls.expect_each_band();
}

TEST(CudaFunction, KernelsChangeTheValues) {
  const GridShape shape{8, 5, 7};
  const Trip<Complex> full(shape, 5, 1), spinors(shape, 2, 2);
  const Trip<double> half(shape, 2, 1);
  const Trip<std::complex<float>> single(shape, 2, 2);
  const Trip<float> half_single(shape, 3, 1);
  std::size_t row = 0;
  for (const FftOptions& options : on_devices()) {
    check_trip(full, options);
    const bool odd = row++ % 2 == 1;
    if (odd || long_suite()) check_trip(spinors, options);
    if (odd || long_suite()) check_trip(half_single, options);
    if (!odd || long_suite()) check_trip(half, options);
    if (!odd || long_suite()) check_trip(single, options);
  }
}

/// Two planes, of which the third rank has none, and no bands.
TEST(CudaFunction, RanksWithoutPointsAreNotCalled) {
  const Trip<Complex> thin({6, 5, 2}, 3, 1), nothing({6, 5, 2}, 0, 1);
  for (const FftOptions& options : on_devices()) {
    check_trip(thin, options);
    check_trip(nothing, options);
  }
}

TEST(CudaFunction, ManyBandsAreOneCall) {
  check_trip(Trip<Complex>({4, 3, 2}, 13, 1), {.band_groups = 1, .space = Space::cuda});
}

class CudaFunctions : public ::testing::Test {
 protected:
  const Trip<Complex> trip_{{8, 5, 7}, 4, 1};
};

TEST_F(CudaFunctions, ReceiveTheStreamOfTheCaller) {
  constexpr std::int64_t legacy = 1;
  SphereFft<Complex> fft(MPI_COMM_WORLD, trip_.shape, trip_.waves, {.space = Space::cuda, .stream = legacy});
  std::vector<Complex> out(trip_.in.size());
  fft.round_trip_on_device(trip_.in, out, trip_.bands, [&](const DeviceBands<Complex>& on) {
    EXPECT_EQ(on.stream, legacy);
    start_factors(on);
  });
  expect_close<Complex>(out, trip_.want, trip_.tolerance);
}

TEST_F(CudaFunctions, LeaveBandsInDeviceMemory) {
  SphereFft<Complex> fft(MPI_COMM_WORLD, trip_.shape, trip_.waves, {.space = Space::cuda});
  const DeviceArray<Complex> in(trip_.in), out(trip_.in.size());
  fft.round_trip_on_device(in.span(), out.span(), trip_.bands, start_factors<Complex>);
  expect_close<Complex>(out.values(), trip_.want, trip_.tolerance);
  expect_close<Complex>(in.values(), trip_.in, 0);
  fft.round_trip_on_device(in.span(), in.span(), trip_.bands, start_factors<Complex>);
  expect_close<Complex>(in.values(), trip_.want, trip_.tolerance);
}

TEST_F(CudaFunctions, MayNotUseTheirPlan) {
  SphereFft<Complex> fft(MPI_COMM_WORLD, trip_.shape, trip_.waves, {.space = Space::cuda});
  std::vector<Complex> out(trip_.in.size());
  expect_error(Fault::bad_argument, "fft: a callback used the plan that called it", [&] {
    fft.to_grid_on_device(trip_.in, trip_.bands, [&](const DeviceBands<Complex>&) { fft.exchange_only(1); });
  });
}

TEST_F(CudaFunctions, MayCopyInTheStream) {
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

/// Rank 0 passes an array on another device.
TEST_F(CudaFunctions, RejectArraysOnAnotherDevice) {
  SphereFft<Complex> fft(MPI_COMM_WORLD, trip_.shape, trip_.waves, {.space = Space::cuda});
  const EmulatedCuda cuda;
  void* there = nullptr;
  cuda.set_device(0);
  cuda.allocate(&there, trip_.in.size() * sizeof(Complex));
  cuda.set_device(1);
  const Complex* array = rank() == 0 ? static_cast<const Complex*>(there) : trip_.in.data();
  const std::span in(array, trip_.in.size());
  std::vector<Complex> out(trip_.in.size());
  const std::string error = "an array is in memory of CUDA device 0, but this process computes on device 1";
  expect_error(Fault::bad_argument, error,
               [&] { fft.round_trip_on_device(in, out, trip_.bands, start_factors<Complex>); });
  auto stream = fft.stream([](const auto&...) {});
  stream.add(in, trip_.bands);
  expect_error(Fault::bad_argument, error, [&] { stream.finish(); });
  fft.round_trip_on_device(trip_.in, out, trip_.bands, start_factors<Complex>);  // the plan still works
  expect_close<Complex>(out, trip_.want, trip_.tolerance);
  cuda.free(there);
}

TEST(CudaFunction, AnErrorOfOneRankReachesAll) {
  const Trip<Complex> trip({8, 5, 7}, 4, 1);
  for (const FftOptions& options : on_devices()) {
    SphereFft<Complex> fft(MPI_COMM_WORLD, trip.shape, trip.waves, options);
    std::vector<Complex> out(trip.in.size());
    const auto throws = [&](const DeviceBands<Complex>& on) {
      const bool has_band = on.first <= 2 && 2 < on.first + on.count * on.step && (2 - on.first) % on.step == 0;
      if (has_band && on.box.axis[2].low == 0 && on.box.axis[1].low == 0)
        throw std::runtime_error("no kernel for band 2");
    };
    expect_error(Fault::internal, "no kernel for band 2",
                 [&] { fft.round_trip_on_device(trip.in, out, trip.bands, throws); });
    expect_error(Fault::internal, "no kernel for band 2", [&] { fft.to_grid_on_device(trip.in, trip.bands, throws); });
    fft.round_trip_on_device(trip.in, out, trip.bands, start_factors<Complex>);  // the plan still works
    expect_close<Complex>(out, trip.want, trip.tolerance);
  }
}

TEST(CudaFunction, ArgumentsAreChecked) {
  const Trip<Complex> trip({8, 5, 7}, 2, 1);
  SphereFft<Complex> host(MPI_COMM_WORLD, trip.shape, trip.waves);
  const std::string of_host =
      " needs a plan on a device, but this plan is on the host: create the plan with the space "
      "'cuda', or use a callback on the host";
  std::vector<Complex> out(trip.in.size());
  const std::int64_t row = rank() == ranks() - 1 ? -1 : 0;
  const auto nothing = [](const DeviceBands<Complex>&) { ADD_FAILURE() << "called"; };
  expect_error(Fault::unsupported, "fft: round_trip_on_device" + of_host,
               [&] { host.round_trip_on_device(trip.in, out, 2, nothing); });
  expect_error(Fault::unsupported, "fft: to_grid_on_device" + of_host,
               [&] { host.to_grid_on_device(trip.in, 2, nothing); });
  SphereFft<Complex> fft(MPI_COMM_WORLD, trip.shape, trip.waves, {.space = Space::cuda});
  const std::string size = "fft: wrong row length of the ";
  expect_error(Fault::bad_argument, size, [&] { fft.round_trip_on_device({trip.in, row}, out, 2, nothing); });
  expect_error(Fault::bad_argument, size, [&] { fft.round_trip_on_device(trip.in, {out, row}, 2, nothing); });
  expect_error(Fault::bad_argument, size, [&] { fft.to_grid_on_device({trip.in, row}, 2, nothing); });
}

}  // namespace
}  // namespace seiche::testing
