// SPDX-License-Identifier: BSD-3-Clause
/// \file  Groups of degenerate bands: bands of one may be mixed with each other, bands of two may not.
#pragma once

#include <cmath>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

inline constexpr double degenerate = 1e-5;  ///< hartree; nearer bands belong to one group

/// Whether a band and the one below it belong to one group.
inline bool degenerate_with_below(const OrbitalHeader& h, int spin, int k, int band) {
  return std::abs(h.energies[h.state(spin, k, band)] - h.energies[h.state(spin, k, band - 1)]) < degenerate;
}

/// Groups of the first `bands` bands of one state, in order.
inline std::vector<Range> degenerate_groups(const OrbitalHeader& h, int spin, int k, int bands) {
  std::vector<Range> groups;
  for (int band = 0; band < bands; ++band) {
    if (band > 0 && degenerate_with_below(h, spin, k, band)) {
      ++groups.back().high;
    } else {
      groups.push_back({band, band + 1});
    }
  }
  return groups;
}

}  // namespace seiche
