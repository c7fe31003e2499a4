// SPDX-License-Identifier: BSD-3-Clause
/// \file  Other shapes of the fused kernel, which the benchmark compares with the shape that the library uses.
#pragma once

#include <vector>

#include "cuda/size_kernels.hpp"

namespace seiche::bench {

template <class Real>
struct Shapes {
  std::vector<cuda::FusedKernels> all;  ///< `start` ignores `density`: they apply potentials
};

/// Returns the shapes of one size.
template <class Real, int N>
Shapes<Real> shapes_of_size();

/// Returns the shapes of a size that was compiled.
template <class Real>
Shapes<Real> shapes(int n);

}  // namespace seiche::bench
