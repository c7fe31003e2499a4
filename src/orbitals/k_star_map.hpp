// SPDX-License-Identifier: BSD-3-Clause
/// \file  Whether a map of symmetry suits wavefunctions.
#pragma once

#include "seiche/symmetry.hpp"

namespace seiche {

/// \throws Error(bad_argument) unless the map is one of wavefunctions with this header
void require_map_of(const OrbitalHeader& header, const KStarMap& map);

}  // namespace seiche
