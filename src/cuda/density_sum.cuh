// SPDX-License-Identifier: BSD-3-Clause
/// \file  Adds the densities of groups of rows in a fixed order.
#pragma once

#include "cuda/arithmetic.cuh"

namespace seiche::cuda {

constexpr int density_sum_threads = 256;

static __global__ void density_sum(const double* partial, int groups, std::int64_t points, double* density) {
  const std::int64_t i = std::int64_t{blockIdx.x} * density_sum_threads + threadIdx.x;
  if (i >= points) return;
  double sum = density[i];
  for (int group = 0; group < groups; group++) sum += partial[group * points + i];
  density[i] = sum;
}

}  // namespace seiche::cuda
