// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/square_rows.hpp"

#include <complex>
#include <cstddef>

#include "device/pointwise.hpp"
#include "fft/sphere/wide_loops.hpp"

namespace seiche {

template <class Value>
void add_squares(double weight, std::span<const Value> psi, double* sum) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < psi.size(); ++x) sum[x] += weight * squared(psi[x]);
  });
}

template <class Value>
void add_squares(double weight, std::span<const Value> up, std::span<const Value> down, double* sum) {
  run_wide([=]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < up.size(); ++x) sum[x] += weight * (squared(up[x]) + squared(down[x]));
  });
}

template <class Value>
void add_magnetism(double weight, std::span<const Value> up, std::span<const Value> down,
                   const std::array<double*, 4>& sums) {
  double *const n = sums[0], *const mx = sums[1], *const my = sums[2],
                *const mz = sums[3];  // clang 14 cannot capture structured bindings
  run_wide([=]() __attribute__((always_inline)) {
    for (std::size_t x = 0; x < up.size(); ++x) {
      const SpinDensity all = spin_density(weight, up[x], down[x]);
      n[x] += all.n;
      mx[x] += all.mx;
      my[x] += all.my;
      mz[x] += all.mz;
    }
  });
}

#define SEICHE_SQUARES(Value)                                                                 \
  template void add_squares(double, std::span<const Value>, double*);                         \
  template void add_squares(double, std::span<const Value>, std::span<const Value>, double*); \
  template void add_magnetism(double, std::span<const Value>, std::span<const Value>, const std::array<double*, 4>&);
SEICHE_SQUARES(double)
SEICHE_SQUARES(float)
SEICHE_SQUARES(std::complex<double>)
SEICHE_SQUARES(std::complex<float>)

}  // namespace seiche
