// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums over the points of a distributed grid, in fixed point. They do not depend on the order of summation.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "comm/agree.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// Collective. Returns fixed-point sums over all ranks. `fill(add)` adds the terms of this rank by add(sum, value).
/// `largest` is an upper bound for the absolute value of all sums and partial sums, equal on all ranks. \throws the
/// error of `fill` on all ranks
template <class Fill>
std::vector<double> whole_sums(const Communicator& comm, std::size_t sums, double largest, const Fill& fill) {
  constexpr int digits = 62;
  // a power of two, so that multiples of it are exact
  const double unit = largest > 0 ? std::exp2(std::ceil(std::log2(largest)) - digits) : 1;
  std::vector<std::int64_t> numbers;
  std::vector<double> values;
  together(comm, [&] {
    numbers.resize(sums);
    values.reserve(sums);
    fill([&](std::size_t sum, double value) { numbers[sum] += std::llround(value / unit); });
  });
  reduce_each(comm, numbers, MPI_SUM);
  for (const std::int64_t number : numbers) values.push_back(static_cast<double>(number) * unit);
  return values;
}

/// Calls use({x, y, z}) for each point of a box, x fastest.
template <class Use>
void each_point(const Box& box, Use use) {
  const auto& [ax, ay, az] = box.axis;
  for (std::int64_t z = az.low; z < az.high; ++z) {
    for (std::int64_t y = ay.low; y < ay.high; ++y) {
      for (std::int64_t x = ax.low; x < ax.high; ++x) use(std::array<std::int64_t, 3>{x, y, z});
    }
  }
}

/// Collective. Returns the largest |value| on all ranks.
inline double largest_of(const Communicator& comm, const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return maximum(comm, most);
}

}  // namespace seiche
