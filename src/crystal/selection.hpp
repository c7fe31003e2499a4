// SPDX-License-Identifier: BSD-3-Clause
/// \file  Symmetry of one spin of a magnetic crystal.
#pragma once

#include "seiche/selection.hpp"

namespace seiche {

/// Removes operations with time reversal, which map the bands of one spin to the other one. \throws Error(unsupported)
/// if such operations reduced the k-points
void leave_out_exchange_of_spins(OrbitalHeader& header);

}  // namespace seiche
