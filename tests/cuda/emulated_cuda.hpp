// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions of the emulated CUDA.
#pragma once

#include <cstddef>

#include "support/environment.hpp"
#include "support/shared_library.hpp"

namespace seiche::testing {

/// Functions of the emulated CUDA.
struct EmulatedCuda {
  int (*get_device)(int*) = nullptr;
  int (*set_device)(int) = nullptr;
  int (*allocate)(void**, std::size_t) = nullptr;
  int (*free)(void*) = nullptr;

  EmulatedCuda() {
    const SharedLibrary module{environment("SEICHE_CUDA") + "/libseiche_cuda.so"};
    module.find(get_device, "cudaGetDevice");
    module.find(set_device, "cudaSetDevice");
    module.find(allocate, "cudaMalloc");
    module.find(free, "cudaFree");
  }
  int device() const {
    int number = -1;
    get_device(&number);
    return number;
  }
};

}  // namespace seiche::testing
