// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests when 1D FFTs are measured, with lines that count their runs.
#include "fft/lines/earned_lines.hpp"

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

class CountedLines : public LineFft {
 public:
  explicit CountedLines(std::atomic<int>& runs) : runs_(runs) {}
  void run(const void* /*in*/, void* /*out*/) const override { ++runs_; }

 private:
  std::atomic<int>& runs_;
};

/// Lines that are measured after they have run for `price`, and the numbers of runs and measurements.
struct Earned {
  explicit Earned(std::chrono::nanoseconds price, bool no_memory = false)
      : lines(
            std::make_unique<CountedLines>(first),
            [this, no_memory]() -> std::unique_ptr<LineFft> {
              ++measurements;
              if (no_memory) throw std::bad_alloc();
              return std::make_unique<CountedLines>(later);
            },
            price) {}
  void run(int times) {
    for (int i = 0; i < times; ++i) lines.run(nullptr, nullptr);
  }
  std::atomic<int> first = 0, later = 0, measurements = 0;
  EarnedLines lines;
};

TEST(EarnedLines, AreMeasuredOnceTheyHaveRunLongEnough) {
  Earned earned(std::chrono::nanoseconds(0));
  earned.run(100);
  EXPECT_EQ(earned.first, 16);
  EXPECT_EQ(earned.later, 84);
  EXPECT_EQ(earned.measurements, 1);
  compared(3);
}

TEST(EarnedLines, AreNotMeasuredBefore) {
  Earned earned(std::chrono::hours(1));
  earned.run(100);
  EXPECT_EQ(earned.first, 100);
  EXPECT_EQ(earned.measurements, 0);
  compared(2);
}

TEST(EarnedLines, RunWithoutMemoryForTheMeasurement) {
  Earned earned(std::chrono::nanoseconds(0), true);
  earned.run(100);
  EXPECT_EQ(earned.first, 100);
  EXPECT_EQ(earned.measurements, 1);
  compared(2);
}

TEST(EarnedLines, AreMeasuredByOneThread) {
  constexpr int threads = 4, times = 1000;
  Earned earned(std::chrono::nanoseconds(0));
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([&] { earned.run(times); });
  for (std::thread& one : all) one.join();
  EXPECT_EQ(earned.first + earned.later, threads * times);
  EXPECT_EQ(earned.measurements, 1);
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
