// SPDX-License-Identifier: BSD-3-Clause
/// \file  States of K C = S C E by LAPACK.
#pragma once

#include <complex>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "blocksparse/samples.hpp"

namespace seiche::testing {

/// Replaces K by the states.
inline int solve(int n, std::vector<double>& k, std::vector<double> s, std::vector<double>& levels) {
  return LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', n, k.data(), n, s.data(), n, levels.data());
}
inline int solve(int n, std::vector<std::complex<double>>& k, std::vector<std::complex<double>> s,
                 std::vector<double>& levels) {
  return LAPACKE_zhegv(LAPACK_COL_MAJOR, 1, 'V', 'U', n, k.data(), n, s.data(), n, levels.data());
}

/// Levels in ascending order, and states c, function fastest.
template <class Value>
struct DenseStates {
  std::vector<double> levels;
  std::vector<Value> c;

  DenseStates(std::size_t n, const std::vector<Value>& k, const std::vector<Value>& s) : levels(n), c(k) {
    EXPECT_EQ(solve(static_cast<int>(n), c, s, levels), 0);
  }

  /// Returns the sum over states of c_i w(state) conj(c_j).
  template <class Weight>
  std::vector<Value> sum(const Weight& weight) const {
    const std::size_t n = levels.size();
    std::vector<Value> m(c.size());
    for (std::size_t state = 0; state < n; ++state) {
      const double w = weight(state);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < n; ++i) m[j * n + i] += w * c[state * n + i] * conjugate(c[state * n + j]);
      }
    }
    return m;
  }
};

}  // namespace seiche::testing
