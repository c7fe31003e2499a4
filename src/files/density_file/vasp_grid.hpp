// SPDX-License-Identifier: BSD-3-Clause
/// \file  CHGCAR and similar files of VASP: a POSCAR, then values on the grid, one block per component.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/density.hpp"

namespace seiche {

/// The quantity in a file of this family.
enum class VaspGrid {
  density,    ///< times the volume of the cell: CHGCAR, CHG, AECCAR0, PARCHG
  potential,  ///< in eV; for two spins the potential of spin up, then of spin down: LOCPOT. Read as mean and half
              ///< difference
  elf,        ///< the electron localisation function: ELFCAR
};
inline constexpr const char* elf_units = "no unit (ELF)";

/// Returns the quantity by the name: CHGCAR, CHGCAR.old, silicon.chgcar. Names that end in .vasp are densities unless
/// they contain another name. \return nothing for other names
std::optional<VaspGrid> vasp_grid_named(const std::string& path);
/// Returns the units of values after reading.
std::string units_of(VaspGrid quantity);

/// Replaces two potentials or components a and b by s (a + b) and s (a - b): mean and half difference for s = 1/2; s =
/// 1 inverts this.
void sums_and_differences(std::vector<double>& a, std::vector<double>& b, double s);

/// Collective. \return the file \throws Error(bad_argument) for another quantity than the name implies
std::vector<std::string> write_vasp_grid(const Density& density, const std::string& path);

}  // namespace seiche
