// SPDX-License-Identifier: BSD-3-Clause
/// \file  Order of streams that use the same work arrays.
#pragma once

#include <cuda_runtime.h>

#include "cuda/launch.cuh"

namespace seiche::cuda {

/// Lets streams use the same work arrays one after another.
class InTurn {
 public:
  InTurn() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~InTurn() {
    cudaEventSynchronize(event_);
    cudaEventDestroy(event_);
  }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

  void begin(cudaStream_t stream) { check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }
  void end(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace seiche::cuda
