// SPDX-License-Identifier: BSD-3-Clause
/// \file  Memory space and device of a plan.
#pragma once

namespace seiche {

/// Where a plan stores its data and computes. The caller's arrays are always in host memory.
enum class Space {
  host,     ///< processor and host memory
  emulated  ///< device emulated by a thread, for tests; the host cannot access its memory
};

}  // namespace seiche
