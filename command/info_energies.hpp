// SPDX-License-Identifier: BSD-3-Clause
/// \file  What `seiche info` says of energies: levels, gaps, k-points.
#pragma once

#include "report.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche::command {

/// Fermi level, highest occupied state, gaps; for programs all energies and occupations, [spin][k][band].
void add_energies(Report& report, const OrbitalHeader& header);

/// A row for each k-point, as many as one can look at; `points` is what programs get.
void add_table_of_kpoints(Report& report, const OrbitalHeader& header, const nlohmann::ordered_json& points);

}  // namespace seiche::command
