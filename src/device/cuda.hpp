// SPDX-License-Identifier: BSD-3-Clause
/// \file  The CUDA device of this process.
#pragma once

#include "device/device.hpp"

namespace seiche {

/// Returns the device. The first call loads the module libseiche_cuda.so. \throws Error if there is no module or no
/// device
Device& cuda_device();

/// Lets MPI use the CUDA device in the calling thread, if cuda_device() was called before. CUDA chooses device 0 in new
/// threads, but messages may be in memory of another device.
void use_cuda_device_here() noexcept;

}  // namespace seiche
