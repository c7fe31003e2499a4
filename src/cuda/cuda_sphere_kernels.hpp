// SPDX-License-Identifier: BSD-3-Clause
/// \file  The implementations of kernels of a sphere.
#pragma once

#include <memory>

#include "device/sphere_kernels.hpp"

namespace seiche::cuda {

/// Returns fused kernels, or null for sizes that they do not support.
std::unique_ptr<SphereKernels> own_sphere_kernels(const DeviceSphere& sphere);

/// Returns kernels that use the library cuFFT. They support all sizes. \throws Error if cuFFT is not found
std::unique_ptr<SphereKernels> cufft_sphere_kernels(const DeviceSphere& sphere);

}  // namespace seiche::cuda
