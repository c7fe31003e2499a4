// SPDX-License-Identifier: BSD-3-Clause
/// \file  The implementation of FFTs of strided arrays.
#pragma once

#include <memory>

#include "device/line_kernels.hpp"

namespace seiche::cuda {

/// Returns kernels that use the library cuFFT. \throws Error if cuFFT is not found. \pre !transforms.empty()
std::unique_ptr<LineKernels> cufft_line_kernels(const DeviceTransforms& transforms);

}  // namespace seiche::cuda
