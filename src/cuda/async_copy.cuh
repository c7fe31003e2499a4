// SPDX-License-Identifier: BSD-3-Clause
/// \file  Copies from global to shared memory that a thread does not wait for.
#pragma once

#include "cuda/arithmetic.cuh"
#ifndef SEICHE_CUDA_EMULATED
#include <cuda_pipeline.h>
#endif

namespace seiche::cuda {

/// Starts to copy a value. The thread may read it after wait_for_copies().
template <class Value>
SEICHE_DEVICE void start_copy(Value* shared, const Value* global) {
#ifdef SEICHE_CUDA_EMULATED
  *shared = *global;
#else
  __pipeline_memcpy_async(shared, global, sizeof(Value));
#endif
}

/// Waits for the copies that this thread has started.
SEICHE_DEVICE void wait_for_copies() {
#ifndef SEICHE_CUDA_EMULATED
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
}

}  // namespace seiche::cuda
