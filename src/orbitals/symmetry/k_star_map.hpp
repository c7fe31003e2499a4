// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks that a symmetry map belongs to a set of wavefunctions.
#pragma once

#include "seiche/symmetry.hpp"

namespace seiche {

/// \throws Error(bad_argument) if the map does not belong to wavefunctions with this header
void require_map_of(const OrbitalHeader& header, const KStarMap& map);

}  // namespace seiche
