// SPDX-License-Identifier: BSD-3-Clause
/// \file  The energies in `seiche info`: levels, gaps and k-points.
#pragma once

#include "report.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche::command {

/// Adds Fermi level, highest occupied state and gaps; in JSON all energies and occupations, [spin][k][band].
void add_energies(Report& report, const OrbitalHeader& header);

/// Adds a row for each k-point, up to a readable number of rows. `points` is the JSON value.
void add_table_of_kpoints(Report& report, const OrbitalHeader& header, const nlohmann::ordered_json& points);

}  // namespace seiche::command
