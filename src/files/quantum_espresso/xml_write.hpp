// SPDX-License-Identifier: BSD-3-Clause
/// \file  The XML of a Quantum ESPRESSO .save, from a header.
#pragma once

#include <string>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// What the header does not know (pseudopotentials, functional, total energy) comes from the .save that it was read
/// from, or is made up.
void write_quantum_espresso_xml(const std::string& path, const OrbitalHeader& header);

/// Names of the elements of the .save that the header was read from which would not be written; "" where there are
/// none.
std::string left_out_of_xml(const OrbitalHeader& header);

/// Whether the k-points' mesh is one that the XML has words for.
bool has_expressible_mesh(const OrbitalHeader& header);

}  // namespace seiche
