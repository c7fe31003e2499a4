// SPDX-License-Identifier: BSD-3-Clause
/// \file  Groups of degenerate bands. Bands of one group may be mixed; bands of different groups may not.
#pragma once

#include <cmath>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

inline constexpr double degenerate = 1e-5;  ///< hartree; bands with a smaller difference form one group

/// Returns whether a band and the next lower band belong to one group.
inline bool degenerate_with_below(const OrbitalHeader& h, int spin, int k, int band) {
  return std::abs(h.energies[h.state(spin, k, band)] - h.energies[h.state(spin, k, band - 1)]) < degenerate;
}

/// Returns the groups of the first `bands` bands of one state, in order.
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
