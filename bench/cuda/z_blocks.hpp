// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cuda/sphere_arguments.hpp"
#include "cuda_runtime.h"

namespace seiche::bench {

/// Starts a z kernel that leaves registers for `blocks` blocks. Returns whether it was compiled.
bool start_z(int n, int blocks, bool back, const cuda::ZArguments<double>& a, cudaStream_t stream);

}  // namespace seiche::bench
