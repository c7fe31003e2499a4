// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels that apply a function to grid values. `Value` is Real, or Complex<Real>. Each point belongs to one
/// thread, so that sums have the same order in each run. `pitch`: distance of rows
#pragma once

#include <cstddef>

#include "cuda/arithmetic.cuh"

namespace seiche::cuda {

/// Rows of one launch.
constexpr int rows_at_once = 8;
struct Weights {
  double of[rows_at_once];
};

template <class Real>
__device__ Real scaled(Real value, Real factor) {
  return value * factor;
}
__device__ inline std::size_t point_here() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

/// blockIdx.y: row
template <class Value, class Real>
__global__ void multiply(Value* values, std::size_t pitch, const Real* potential, std::size_t points) {
  const std::size_t p = point_here();
  if (p >= points) return;
  Value& value = values[blockIdx.y * pitch + p];
  value = scaled(value, potential[p]);
}

/// Multiplies by v + b.sigma. blockIdx.y: pair of rows
template <class Real>
__global__ void multiply_spinors(Complex<Real>* values, const Real* potential, std::size_t points) {
  const std::size_t p = point_here();
  if (p >= points) return;
  const SpinPotential<Real> here{potential[p], potential[points + p], potential[2 * points + p],
                                 potential[3 * points + p]};
  Complex<Real>& up = values[2 * blockIdx.y * points + p];
  Complex<Real>& down = values[(2 * blockIdx.y + 1) * points + p];
  const Complex<Real> u = up, d = down;
  up = spin_product(here, Real(1), u, d);
  down = spin_product(here, Real(-1), d, u);
}

template <class Value>
__global__ void add_squares(const Value* values, std::size_t pitch, double* density,
                            const __grid_constant__ Weights weights, int rows, std::size_t points) {
  const std::size_t p = point_here();
  if (p >= points) return;
  double sum = density[p];
  for (int row = 0; row < rows; ++row) sum += weights.of[row] * squared(values[row * pitch + p]);
  density[p] = sum;
}

/// Adds n, mx, my, mz of pairs of rows.
template <class Real>
__global__ void add_magnetism(const Complex<Real>* values, double* density, const __grid_constant__ Weights weights,
                              int rows, std::size_t points) {
  const std::size_t p = point_here();
  if (p >= points) return;
  double n = density[p], mx = density[points + p], my = density[2 * points + p], mz = density[3 * points + p];
  for (int row = 0; row < rows; row += 2) {
    const SpinDensity all = spin_density(weights.of[row], values[row * points + p], values[(row + 1) * points + p]);
    n += all.n;
    mx += all.mx;
    my += all.my;
    mz += all.mz;
  }
  density[p] = n;
  density[points + p] = mx;
  density[2 * points + p] = my;
  density[3 * points + p] = mz;
}

}  // namespace seiche::cuda
