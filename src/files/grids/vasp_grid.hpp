// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP's CHGCAR, PARCHG and LOCPOT: a POSCAR, then values on the grid, a block for each component.
#pragma once

#include <string>
#include <vector>

#include "seiche/density.hpp"

namespace seiche {

/// By the name: CHGCAR, CHGCAR.old, silicon.chgcar; PARCHG and LOCPOT alike.
bool names_vasp_grid(const std::string& path);
/// Of these, a LOCPOT: a potential in eV. Others are densities, times the volume of the cell.
bool names_vasp_potential(const std::string& path);

/// Collective. \return the file \throws Error(bad_argument) for a density as a LOCPOT, and anything else as the others
std::vector<std::string> write_vasp_grid(const Density& density, const std::string& path);

}  // namespace seiche
