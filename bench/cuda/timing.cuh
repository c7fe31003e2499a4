// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "cuda/launch.cuh"
#include "cuda/stream.hpp"

namespace seiche::bench {

inline void synchronize(const cuda::Stream& stream) {
  cuda::check(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize");
}

/// Returns the median time of `work` in microseconds, which covers `rows` rows.
inline double time_of(cuda::Stream& stream, int rows, bool quick, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto once = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) work();
    synchronize(stream);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / repeats;
  };
  once(1);
  const int repeats = std::clamp(static_cast<int>(3000 / once(1)), 1, 50);
  std::vector<double> times;
  for (int i = 0; i < (quick ? 3 : 7); ++i) times.push_back(once(repeats));
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2] / rows;
}

}  // namespace seiche::bench
