// SPDX-License-Identifier: BSD-3-Clause
/// \file  Small geometry of crystals, and the names of the elements.
#pragma once

#include <string>

#include "seiche/wavefile.hpp"

namespace seiche {

double dot(const Vector3& a, const Vector3& b);

/// A cartesian point (bohr) in units of the lattice vectors.
Vector3 fractional(const Crystal& crystal, const Vector3& cartesian);

/// 14 for "Si"; 0 for what is no element.
int atomic_number(const std::string& symbol);

/// The element in a code's label: "Fe" from "Fe1" or "FE_up".
std::string element_of(const std::string& label);

}  // namespace seiche
