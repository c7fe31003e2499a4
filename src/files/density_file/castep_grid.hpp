// SPDX-License-Identifier: BSD-3-Clause
/// \file  .den_fmt, .pot_fmt and .elf_fmt of CASTEP: a header, then one line for each point: its indices, and the
/// values of all spins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seiche/density.hpp"

namespace seiche {

/// The quantity in a file of this family.
enum class CastepGrid {
  density,    ///< times the volume of the cell; of two spins the total and the difference: .den_fmt
  potential,  ///< in hartree; of spin up, then of spin down: .pot_fmt. Read as mean and half difference
  elf,        ///< the electron localisation function: .elf_fmt
};

/// Returns the quantity by the ending of the name. \return nothing for other names
std::optional<CastepGrid> castep_grid_named(const std::string& path);
/// Returns the units of values after reading.
std::string units_of(CastepGrid quantity);

/// Collective. \return the file \throws Error(bad_argument) for another quantity than the name implies
std::vector<std::string> write_castep_grid(const Density& density, const std::string& path);

}  // namespace seiche
