// SPDX-License-Identifier: BSD-3-Clause
/// \file  Equivalent k-points of two files, and differences that prevent a comparison.
#pragma once

#include <string>
#include <vector>

#include "seiche/wavefile.hpp"

namespace seiche {

/// A k-point of the second file that is equivalent to one of the first: equal to it plus `shift`, a reciprocal lattice
/// vector.
struct Partner {
  int k = -1;
  Miller shift;
};

/// Returns why two headers cannot belong to the same wavefunctions; "" if they can.
std::string difference_of(const OrbitalHeader& a, const OrbitalHeader& b, const CompareOptions& options);

/// Returns the partners of all k-points; sets `difference` if one is missing or superfluous.
std::vector<Partner> partners_of(const OrbitalHeader& a, const OrbitalHeader& b, std::string& difference);

}  // namespace seiche
