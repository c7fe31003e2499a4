// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which k-points of two files are the same, and what keeps two files from being compared.
#pragma once

#include <string>
#include <vector>

#include "seiche/wavefile.hpp"

namespace seiche {

/// A k-point of the second file that is one of the first: that one plus `shift`, whole numbers of reciprocal vectors.
struct Partner {
  int k = -1;
  Miller shift;
};

/// Why two headers cannot be of the same wavefunctions; "" when they can.
std::string difference_of(const OrbitalHeader& a, const OrbitalHeader& b, const CompareOptions& options);

/// The partners of all k-points; where there is none, or one too many, the difference is said.
std::vector<Partner> partners_of(const OrbitalHeader& a, const OrbitalHeader& b, std::string& difference);

}  // namespace seiche
