// SPDX-License-Identifier: BSD-3-Clause
/// \file  Whether threads may call BLAS and LAPACK at the same time.
#pragma once

#include <mutex>

namespace seiche {

/// Returns a lock to be held during a call of BLAS or LAPACK. OpenBLAS built without threads shares buffers between its
/// callers, which gives wrong numbers; with any other library the lock is empty.
std::unique_lock<std::mutex> lock_blas();

}  // namespace seiche
