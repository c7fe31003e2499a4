// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of densities and other quantities on a grid: read, written, drawn.
#pragma once

#include <string>
#include <vector>

#include "seiche/density.hpp"

namespace seiche {

/// Collective. The density that a code wrote: a Quantum ESPRESSO .save or charge-density.dat/.hdf5, a CASTEP .check, an
/// ABINIT DEN, our own .h5, VASP's CHGCAR, PARCHG or LOCPOT, or a .cube or .xsf file (with those of its magnetisation,
/// where they lie beside). Laid out as `like`, on whose grid it must be. \throws Error when the file has other
/// components, cell or grid
Density read_density(const std::string& path, const Density& like, const FftOptions& options = {.reproducible = true});

/// Collective. The same for a file that says itself what its crystal and grid are: all of the above, but of Quantum
/// ESPRESSO's a .save or a charge-density in one. Numbers in .cube and .xsf files of others are taken as they are,
/// whatever they mean; `units` then names the file.
Density read_density(const Communicator& comm, const std::string& path);

/// Collective. Whether `path` holds a density, or another quantity on a grid, and no wavefunctions.
bool holds_density_only(const Communicator& comm, const std::string& path);

/// Whether write_density would know what to write by the name `path`, and write_orbitals not: .cube, .xsf, CHGCAR,
/// PARCHG, LOCPOT, or charge-density.dat or .hdf5.
bool names_density(const std::string& path);

/// Collective. Writes .cube, .xsf, .h5, VASP's CHGCAR, PARCHG or LOCPOT (names that begin so, or end in .chgcar),
/// or Quantum ESPRESSO's charge-density.dat or .hdf5, by the name `path`, under that name only when complete. A .cube
/// and an .xsf hold one component; further components go to files with _mz (or _mx, _my, _mz) before the ending.
/// \return files written
std::vector<std::string> write_density(const Density& density, const std::string& path);

/// Collective. Throws at once what write_density or draw_density would throw after a long computation: for an ending
/// they do not know, or a place where no file can be made. Leaves nothing behind.
void expect_output(const Communicator& comm, const std::string& path);

/// Collective. A PNG picture of the total density on the plane through an atom and its two nearest neighbours (without
/// atoms, that of two lattice vectors), with lines of equal density.
void draw_density(const Density& density, const std::string& path);

}  // namespace seiche
