// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of small spheres, and a function that modifies them in real space.
#pragma once

#include <complex>
#include <vector>

#include "fft/plan_cache.hpp"
#include "seiche/fft.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

using Complex = std::complex<double>;

inline std::vector<Miller> waves_of_radius(std::int32_t radius) {
  std::vector<Miller> all;
  for (std::int32_t x = -radius; x <= radius; ++x) {
    for (std::int32_t y = -radius; y <= radius; ++y) {
      for (std::int32_t z = -radius; z <= radius; ++z) {
        if (x * x + y * y + z * z <= radius * radius) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

/// Returns the waves of this rank: whole sticks, or single waves that are assigned to the ranks cyclically.
inline std::vector<Miller> share_of(const std::vector<Miller>& all, bool sticks) {
  const auto owners = balanced_owners(all, ranks());
  std::vector<Miller> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((sticks ? owners[i] : static_cast<int>(i) % ranks()) == rank()) mine.push_back(all[i]);
  }
  return mine;
}

inline std::vector<Complex> coefficients(const std::vector<Miller>& waves, std::int64_t bands) {
  std::vector<Complex> values;
  for (std::int64_t band = 0; band < bands; ++band) {
    for (const Miller& g : waves)
      values.emplace_back(0.1 * g.x + 0.01 * g.y - static_cast<double>(band), 1.0 / (2 + g.z * g.z));
  }
  return values;
}

/// Limits the number of exchanges and the memory of kept plans during its lifetime.
class FewPlans {
 public:
  explicit FewPlans(std::int64_t exchanges, std::int64_t memory = 0) { plan_limits() = {memory, exchanges}; }
  ~FewPlans() { plan_limits() = before_; }
  FewPlans(const FewPlans&) = delete;
  FewPlans& operator=(const FewPlans&) = delete;

 private:
  PlanLimits before_ = plan_limits();
};

inline void double_values(std::int64_t, const Box&, const View<Complex>& values) {
  for (std::int64_t y = 0; y < values.shape[1]; ++y) {
    for (std::int64_t x = 0; x < values.shape[0]; ++x) values(x, y, 0) *= 2;
  }
}

}  // namespace seiche::testing
