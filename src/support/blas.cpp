// SPDX-License-Identifier: BSD-3-Clause
#include "support/blas.hpp"

extern "C" __attribute__((weak)) int openblas_get_parallel(void);  // exists in OpenBLAS only

namespace seiche {

std::unique_lock<std::mutex> lock_blas() {
  static std::mutex mutex;
  static const bool one_at_a_time = openblas_get_parallel && openblas_get_parallel() == 0;
  return one_at_a_time ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

}  // namespace seiche
