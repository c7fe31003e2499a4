// SPDX-License-Identifier: BSD-3-Clause
/// \file  The device that functions of CUDA use in a thread.
#pragma once

#include <cuda_runtime.h>

namespace seiche::cuda {

/// Makes the device of this process the current device of a thread. The destructor restores the former one.
class Current {
 public:
  Current();
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
};

/// Returns the number of the device of this process. The first call chooses the current device of the thread.
int device_number();

}  // namespace seiche::cuda
