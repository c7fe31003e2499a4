// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory space and device of a plan.
#pragma once

#include "seiche/cxx20.hpp"

namespace seiche {

/// Where a plan stores its data and computes. Plans accept arrays of the caller in host memory. With `cuda`, arrays may
/// be in device memory, and are used in place.
enum class Space {
  host = 0,  ///< processor and host memory
  cuda = 2   ///< current CUDA device of the process; needs the module libseiche_cuda.so
};

}  // namespace seiche
