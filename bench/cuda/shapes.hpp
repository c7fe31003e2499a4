// SPDX-License-Identifier: BSD-3-Clause
/// \file  Other shapes of the fused kernel, which the benchmark compares with the shape that the library uses.
#pragma once

#include <vector>

#include "cuda/size_kernels.hpp"

namespace seiche::bench {

/// Returns the shapes of one size. Their function `start` ignores `density`: all apply potentials.
template <class Real, int N>
std::vector<cuda::FusedKernels> shapes_of_size();

/// Returns the shapes of a size that was compiled.
template <class Real>
std::vector<cuda::FusedKernels> shapes(int n);

}  // namespace seiche::bench
