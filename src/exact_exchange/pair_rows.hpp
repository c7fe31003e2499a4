// SPDX-License-Identifier: BSD-3-Clause
/// \file  Loops over rows of grid values: sums of orbitals times potentials, and overlaps.
#pragma once

#include <cstdint>

#include "device/pointwise.hpp"
#include "support/wide_loops.hpp"

namespace seiche {

/// Subtracts weight * psi * potential from sum.
template <class Value>
void subtract_product(double weight, const Value* psi, const Value* potential, Value* sum, std::int64_t n) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::int64_t x = 0; x < n; ++x) sum[x] -= weight * product(psi[x], potential[x]);
  });
}
/// Subtracts weight * psi * potential^* from sum.
template <class Value>
void subtract_conjugate(double weight, const Value* psi, const Value* potential, Value* sum, std::int64_t n) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::int64_t x = 0; x < n; ++x) sum[x] -= weight * conjugate_product(potential[x], psi[x]);
  });
}
/// Returns the real part of the sum of a^* b.
template <class Value>
double real_overlap(const Value* a, const Value* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t x = 0; x < n; ++x) sum += real_part(conjugate_product(a[x], b[x]));
  return sum;
}

}  // namespace seiche
