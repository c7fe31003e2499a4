// SPDX-License-Identifier: BSD-3-Clause
/// \file  1D FFTs that are measured after they have run for some time. A measurement takes up to tens of milliseconds,
/// which plans with few calls never regain.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "fft/lines/line_fft.hpp"

namespace seiche {

class EarnedLines : public LineFft {
 public:
  using Make = std::function<std::unique_ptr<LineFft>()>;

  /// Runs `first` until it has run for the time `price`, and the result of `measured` afterwards.
  EarnedLines(std::unique_ptr<LineFft> first, Make measured, std::chrono::nanoseconds price)
      : first_(std::move(first)), measured_(std::move(measured)), price_(price.count()) {}

  void run(const void* in, void* out) const override {
    if (const LineFft* fastest = fastest_.load(std::memory_order_acquire)) return fastest->run(in, out);
    const std::uint64_t runs = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (runs % sample != 0) return first_->run(in, out);
    const auto start = Clock::now();
    first_->run(in, out);
    const std::chrono::nanoseconds time = Clock::now() - start;
    const std::int64_t spent = sample * time.count();
    const std::int64_t earned = earned_.fetch_add(spent, std::memory_order_relaxed) + spent;
    // Ranks have nearly equal numbers of runs. At powers of two they measure nearly together, and wait less.
    if (earned >= price_ && std::has_single_bit(runs)) measure();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int sample = 16;  // one run of so many is timed; a power of two

  /// The first thread measures. Others continue without. Without memory for the measurement, `first` continues to run.
  void measure() const {
    if (measuring_.test_and_set()) return;
    try {
      kept_ = measured_();
      fastest_.store(kept_.get(), std::memory_order_release);
    } catch (const std::exception&) {
    }
  }

  std::unique_ptr<LineFft> first_;
  Make measured_;
  std::int64_t price_;
  mutable std::unique_ptr<LineFft> kept_;
  mutable std::atomic<const LineFft*> fastest_ = nullptr;
  mutable std::atomic<std::uint64_t> runs_ = 0;
  mutable std::atomic<std::int64_t> earned_ = 0;
  mutable std::atomic_flag measuring_;
};

}  // namespace seiche
