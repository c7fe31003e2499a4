// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of Seiche. The emulated module has kernels for lines of 24, 28, 30 and 45 points.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cuda/trial.hpp"

namespace seiche::testing {
namespace {

constexpr double quarter = 0.2501;  // radius of a sphere whose frequencies are at most a quarter of the length

std::string method_of(const SphereCase& c) { return device().sphere(shares_of(c, waves_of(c))[0].sphere)->method(); }

/// Compares all works. Spinors need an even number of rows, and complex values.
void expect_all_works(SphereCase c, std::size_t rows, const char* method) {
  for (const bool single : {false, true}) {
    c.single = single;
    SCOPED_TRACE(::testing::Message() << c.shape.nx << " x " << c.shape.ny << " x " << c.shape.nz << ", half " << c.half
                                      << ", order " << static_cast<int>(c.order) << ", ranks " << c.ranks << ", rows "
                                      << rows << ", single " << single);
    EXPECT_EQ(method_of(c), method);
    const auto work = [&]<class Real>(Real) {
      Trial<Real> trial(c, rows);
      trial.multiplies(false, rows % 2 == 0);
      trial.adds_densities(false);
      trial.stores_and_reads();
      if (c.half || rows % 2 != 0) return;
      trial.multiplies(true, false);
      trial.adds_densities(true);
    };
    single ? work(0.0F) : work(0.0);
  }
}

TEST(OwnKernels, TransformSquarePlanes) {
  expect_all_works({{24, 24, 24}, quarter}, 2, "fused");
  expect_all_works({{24, 24, 28}, quarter, false, false, 3}, 3, "fused");
  expect_all_works({{28, 28, 24}, quarter, false, false, 2, Order::ascending}, 2, "fused");
  expect_all_works({{30, 30, 24}, quarter, false, false, 1, Order::wrapped}, 1, "fused");
}

TEST(OwnKernels, ShareLargePlanesBetweenBlocks) {
  expect_all_works({{45, 45, 24}, 0.15, false, false, 1, Order::wrapped}, 2, "fused");
  expect_all_works({{45, 45, 24}, quarter, false, false, 3}, 1, "fused");
  expect_all_works({{45, 45, 24}, quarter, true, false, 2}, 1, "fused");
}

TEST(OwnKernels, TransformPlanesThatAreNotSquare) {
  expect_all_works({{24, 30, 28}, quarter}, 2, "five kernels");
  expect_all_works({{45, 28, 24}, 0.2, false, false, 3, Order::wrapped}, 2, "five kernels");
}

TEST(OwnKernels, TransformLargeSpheres) {
  expect_all_works({{24, 24, 24}, 0.45}, 2, "five kernels");
  expect_all_works({{24, 28, 30}, 0.4, true}, 2, "five kernels");
}

TEST(OwnKernels, TransformHalfSpheres) {
  expect_all_works({{24, 24, 24}, quarter, true}, 2, "fused");
  expect_all_works({{28, 24, 30}, quarter, true, false, 1, Order::ascending}, 1, "five kernels");
  expect_all_works({{24, 45, 24}, 0.2, true, false, 3, Order::wrapped}, 2, "five kernels");
}

TEST(OwnKernels, TransformMoreRowsThanOneLaunchTakes) {
  expect_all_works({{24, 24, 24}, 0.1}, 33, "fused");
  expect_all_works({{24, 28, 24}, 0.1, false, false, 2}, 34, "five kernels");
}

TEST(OwnKernels, TransformUsualGridsOnARealDevice) {
  if (emulated_device()) GTEST_SKIP() << "the emulated device is slow";
  for (const std::int64_t n : {32, 64, 96, 100, 128}) expect_all_works({{n, n, n}, quarter}, 2, "fused");
  for (const std::int64_t n : {64, 128}) expect_all_works({{n, n, n}, quarter, true, false, 3}, 1, "fused");
  expect_all_works({{64, 96, 100}, quarter}, 2, "five kernels");
  Trial<double>({{192, 192, 192}, quarter}, 2).multiplies(false, true);
  Trial<double>({{256, 256, 256}, quarter}, 2).multiplies(true, false);
}

/// A part of a device may have no room for a cluster of blocks.
TEST(OwnKernels, DoWithoutClustersThatDoNotFit) {
  if (!emulated_device()) GTEST_SKIP() << "only the emulated device can be without room";
  ::setenv("SEICHE_EMULATED_OCCUPANCY", "0", 1);
  expect_all_works({{24, 24, 24}, quarter}, 2, "five kernels");
  ::unsetenv("SEICHE_EMULATED_OCCUPANCY");
}

TEST(OwnKernels, LeaveOtherSpheresToCufft) {
  EXPECT_EQ(method_of({{24, 24, 26}, quarter}), "cuFFT");
  EXPECT_EQ(method_of({{24, 24, 24}, 0.5, true}), "five kernels");
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
