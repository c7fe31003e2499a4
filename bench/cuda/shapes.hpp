// SPDX-License-Identifier: BSD-3-Clause
/// \file  Other shapes of the fused kernel, which the benchmark compares with the shape that the library uses.
#pragma once

#include <vector>

#include "cuda/size_kernels.hpp"

namespace seiche::bench {

/// One of them. `start` ignores `density`: all apply potentials.
struct OtherKernel {
  cuda::FusedKernels fused;
  bool ahead;  ///< copies values to shared memory ahead of their use
};

template <class Real>
struct Shapes {
  std::vector<OtherKernel> all;
};

/// Returns the shapes of one size.
template <class Real, int N>
Shapes<Real> shapes_of_size();

/// Returns the shapes of a size that was compiled.
template <class Real>
Shapes<Real> shapes(int n);

}  // namespace seiche::bench
