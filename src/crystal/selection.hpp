// SPDX-License-Identifier: BSD-3-Clause
/// \file  What one spin of a magnet keeps of its symmetry.
#pragma once

#include "seiche/selection.hpp"

namespace seiche {

/// Leaves out the operations with time reversal, which take the bands of one spin to the other. \throws
/// Error(unsupported) where k-points are not there because such operations make them of others
void leave_out_exchange_of_spins(OrbitalHeader& header);

}  // namespace seiche
