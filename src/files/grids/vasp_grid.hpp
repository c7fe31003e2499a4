// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP's CHGCAR and its relatives: a POSCAR, then values on the grid, a block for each component.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/density.hpp"

namespace seiche {

/// What values in a file of this family are.
enum class VaspGrid {
  density,    ///< times the volume of the cell: CHGCAR, CHG, AECCAR0, PARCHG
  potential,  ///< in eV; of two spins that of spin up, then that of spin down: LOCPOT. Read as mean and half difference
  elf,        ///< the electron localisation function: ELFCAR
};
inline constexpr const char* elf_units = "no unit (ELF)";

/// By the name: CHGCAR, CHGCAR.old, silicon.chgcar. What ends in .vasp is a density, unless its name says another.
/// \return nothing for other names
std::optional<VaspGrid> vasp_grid_named(const std::string& path);
/// Of values as they are read.
std::string units_of(VaspGrid quantity);

/// Makes of two potentials or components a and b s (a + b) and s (a - b): mean and half difference with s = 1/2, and
/// with s = 1 the two again.
void sums_and_differences(std::vector<double>& a, std::vector<double>& b, double s);

/// Collective. \return the file \throws Error(bad_argument) for a quantity of another kind than the name says
std::vector<std::string> write_vasp_grid(const Density& density, const std::string& path);

}  // namespace seiche
