// SPDX-License-Identifier: BSD-3-Clause
/// \file  The symmetry of one spin of a magnet.
#pragma once

#include "seiche/selection.hpp"

namespace seiche {

/// Removes the operations with time reversal, which map the bands of one spin to the other. \throws Error(unsupported)
/// if k-points are omitted because such operations generate them
void leave_out_exchange_of_spins(OrbitalHeader& header);

}  // namespace seiche
