// SPDX-License-Identifier: BSD-3-Clause
/// \file  The CUDA device of this process.
#pragma once

#include "device/device.hpp"

namespace seiche {

/// Returns the device. The first call loads the module libseiche_cuda.so. \throws Error if there is no module or no
/// device
Device& cuda_device();

}  // namespace seiche
