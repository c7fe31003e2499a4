// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels that use cuFFT.
#include <gtest/gtest.h>

#include "cuda/trial.hpp"

namespace seiche::testing {
namespace {

template <class Work>
void each_precision(SphereCase c, std::size_t rows, const Work& work) {
  SCOPED_TRACE(::testing::Message() << c.shape.nx << " x " << c.shape.ny << " x " << c.shape.nz << ", half " << c.half
                                    << ", ranks " << c.ranks << ", rows " << rows);
  c.single = false;
  work(Trial<double>(c, rows));
  c.single = true;
  work(Trial<float>(c, rows));
}

/// Even, odd and prime numbers of points; a full box; more planes than points of a row; more rows than a launch takes.
/// Half spheres with an odd number of points on a rank: every other row of real values begins at an odd index.
const std::vector<SphereCase>& cases() {
  static const std::vector<SphereCase> all{
      {{7, 11, 5}, 0.3, false, false, 1},  {{12, 10, 9}, 0.25, false, false, 3}, {{6, 4, 8}, 1, false, false, 2},
      {{13, 4, 17}, 0.4, false, false, 4}, {{8, 9, 10}, 0.3, true, false, 1},    {{11, 6, 7}, 0.4, true, false, 3},
      {{5, 8, 6}, 1, true, false, 2},      {{7, 5, 9}, 0.4, true, false, 2},     {{1, 3, 2}, 1, false, false, 1}};
  return all;
}

TEST(DeviceSphereKernels, MultiplyByPotentials) {
  std::size_t rows = 1;
  for (const SphereCase& c : cases()) {
    each_precision(c, rows, [&](auto trial) { trial.multiplies(false, rows % 2 == 0); });
    rows = rows % 19 + 3;
  }
}

TEST(DeviceSphereKernels, MultiplySpinors) {
  std::size_t rows = 2;
  for (const SphereCase& c : cases()) {
    if (!c.half) each_precision(c, rows, [&](auto trial) { trial.multiplies(true, rows % 4 == 0); });
    rows = rows % 12 + 2;
  }
}

TEST(DeviceSphereKernels, AddDensities) {
  std::size_t rows = 1;
  for (const SphereCase& c : cases()) {
    each_precision(c, rows, [&](auto trial) { trial.adds_densities(false); });
    if (!c.half) each_precision(c, 2 * rows, [&](auto trial) { trial.adds_densities(true); });
    rows = rows % 10 + 4;
  }
}

TEST(DeviceSphereKernels, StoreAndReadGridValues) {
  std::size_t rows = 9;
  for (const SphereCase& c : cases()) {
    each_precision(c, rows, [&](auto trial) { trial.stores_and_reads(); });
    rows = rows % 4 + 1;
  }
}

TEST(DeviceSphereKernels, SeveralStreamsUseThem) {
  using Number = std::complex<double>;
  const SphereCase c{{7, 11, 5}, 0.3};
  const Share share = shares_of(c, waves_of(c))[0];
  auto kernels = device().sphere(share.sphere);
  constexpr std::size_t streams = 4;
  std::vector<std::unique_ptr<DeviceStream>> all;
  std::vector<DeviceArray<Number>> in, sticks, out;
  std::vector<std::vector<Number>> values;
  for (std::size_t s = 0; s < streams; ++s) {
    all.push_back(device().stream(nullptr));
    values.push_back(random_values(static_cast<std::int64_t>(share.waves.size()), static_cast<unsigned>(s)));
    in.emplace_back(*all[s], values[s]);
    sticks.emplace_back(static_cast<std::size_t>(share.sphere.nz * share.sphere.pitch));
    out.emplace_back(share.waves.size());
  }
  for (std::size_t s = 0; s < streams; ++s) {  // nothing waits
    const void* const from[] = {in[s].data()};
    void* const into[] = {sticks[s].data()};
    kernels->z_to_planes(*all[s], from, into);
  }
  for (std::size_t s = 0; s < streams; ++s) {
    const void* const from[] = {sticks[s].data()};
    void* const into[] = {out[s].data()};
    kernels->z_from_planes(*all[s], from, into, false);
  }
  kernels.reset();  // while they work
  for (std::size_t s = 0; s < streams; ++s) {
    auto expected = values[s];
    for (Number& value : expected) value /= 7 * 11;  // the planes were not transformed
    expect_close<Number>(out[s].values(*all[s]), expected, 1e-14);
  }
}

TEST(DeviceSphereKernels, ReportTheirMethodAndMemory) {
  const SphereCase c{{7, 11, 5}, 0.3};
  const auto kernels = device().sphere(shares_of(c, waves_of(c))[0].sphere);
  EXPECT_STREQ(kernels->method(), "cuFFT");
  EXPECT_GE(kernels->bytes(), 7 * 11 * 5 * 16);
  EXPECT_GE(kernels->favourite_rows(), 2);
  compared(3);
}

}  // namespace
}  // namespace seiche::testing
