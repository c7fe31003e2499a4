// SPDX-License-Identifier: BSD-3-Clause
/// \file  What FFTs, products and moves make of a policy alike.
#pragma once

#include "seiche/exchange.hpp"

namespace seiche {

/// Local. \throws Error, as it does on all ranks, for a window below 0 and for progress that MPI was not started for
void require_sound(const Policy& policy);

}  // namespace seiche
