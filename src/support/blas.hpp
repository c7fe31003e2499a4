// SPDX-License-Identifier: BSD-3-Clause
/// \file  Thread safety of BLAS and LAPACK.
#pragma once

#include <mutex>

namespace seiche {

/// Returns a lock that must be held during a call of BLAS or LAPACK. OpenBLAS without threads shares buffers between
/// callers and is not thread-safe. With other libraries the lock is empty.
std::unique_lock<std::mutex> lock_blas();

}  // namespace seiche
