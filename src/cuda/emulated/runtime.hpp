// SPDX-License-Identifier: BSD-3-Clause
/// \file  Properties and errors of the emulated CUDA.
#pragma once

#include "cuda/emulated/cuda_runtime.h"

namespace seiche::emulated {

constexpr int most_shared = 227 << 10;  // bytes of dynamic shared memory of a block

/// Returns the error, and keeps its explanation for cudaGetErrorString().
cudaError_t failed(cudaError_t error, const char* text);

}  // namespace seiche::emulated
