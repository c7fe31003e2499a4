// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where a plan keeps its values and computes.
#pragma once

namespace seiche {

/// The device of a plan. Callers' arrays are in host memory in any case.
enum class Space {
  host,     ///< the processor
  emulated  ///< a device that a thread of this process plays, to test programs: the host cannot touch its memory
};

}  // namespace seiche
