// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes the XML of a Quantum ESPRESSO .save from a header.
#pragma once

#include <string>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Data that the header does not contain (pseudopotentials, functional, total energy) is copied from the source .save,
/// or replaced by placeholders.
void write_quantum_espresso_xml(const std::string& path, const OrbitalHeader& header);

/// Returns the names of elements of the source .save that would not be written; "" if there are none.
std::string left_out_of_xml(const OrbitalHeader& header);

/// Whether the XML can represent the mesh of the k-points.
bool has_expressible_mesh(const OrbitalHeader& header);

}  // namespace seiche
