// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures the time of a scope.
#pragma once

#include <chrono>

namespace seiche {

/// Adds the seconds of its lifetime to a sum.
class AddTime {
 public:
  explicit AddTime(double& sum) : sum_(sum) {}
  ~AddTime() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    sum_ += passed.count();
  }
  AddTime(const AddTime&) = delete;
  AddTime& operator=(const AddTime&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace seiche
