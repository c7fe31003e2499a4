// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of densities and other quantities on a grid: read, written, drawn.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "seiche/cut.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Collective. The density that a code wrote: a Quantum ESPRESSO .save or charge-density.dat/.hdf5, a CASTEP .check, an
/// ABINIT DEN or potential (POT, VHA, VHXC, VXC, VPSP), a BerkeleyGW RHO, our own .h5, VASP's CHGCAR, LOCPOT and their
/// relatives, or a .cube or .xsf file
/// (with those of its magnetisation, where they lie beside). docs/wavefile.md says which texts are read. Laid out as
/// `like`, on whose grid it must be. \throws Error when the file has other components, cell or grid
Density read_density(const std::string& path, const Density& like, const FftOptions& options = {.reproducible = true});

/// Collective. The same for a file that says itself what its crystal and grid are: all of the above, but of Quantum
/// ESPRESSO's a .save or a charge-density in one. Numbers in .cube and .xsf files of others are taken as they are,
/// whatever they mean; `units` then names the file.
Density read_density(const Communicator& comm, const std::string& path);

/// Collective. Whether `path` holds a density, or another quantity on a grid, and no wavefunctions.
bool holds_density_only(const Communicator& comm, const std::string& path);

/// Whether write_density would know what to write by the name `path`, and write_orbitals not: .cube, .xsf, CHGCAR
/// and its relatives, .vasp, RHO, or charge-density.dat or .hdf5.
bool names_density(const std::string& path);

/// Collective. Writes .cube, .xsf, .h5, VASP's CHGCAR, PARCHG, LOCPOT or ELFCAR (names that begin so, or end in
/// .chgcar), BerkeleyGW's RHO (or .rho), or Quantum ESPRESSO's charge-density.dat or .hdf5, by the name `path`, under
/// that name only when complete. A .cube and an .xsf hold one component; further components go to files with _mz (or
/// _mx, _my, _mz) before the ending. \return files written
std::vector<std::string> write_density(const Density& density, const std::string& path);

/// Files of densities that appear under their names together, when all of them are complete. Until then, and where that
/// never comes, what was there before stays.
class DensityFiles {
 public:
  /// Collective. `path` is a name like theirs: they are made beside it. \throws Error(unwritable)
  DensityFiles(const Communicator& comm, const std::string& path);
  ~DensityFiles();
  DensityFiles(DensityFiles&&) noexcept;
  DensityFiles& operator=(DensityFiles&&) = delete;

  /// Collective. As write_density. \return the names that its files will have
  std::vector<std::string> add(const Density& density, const std::string& path);
  /// Collective. Gives all of them their names.
  void commit();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

/// Collective. Throws at once what write_density or draw_density would throw after a long computation: for an ending
/// they do not know, or a place where no file can be made. Leaves nothing behind.
void expect_output(const Communicator& comm, const std::string& path);

/// Collective. A PNG picture of a component on a plane, by default that through an atom and its two nearest neighbours
/// (plane_of_bonds), with lines of equal value: densities on a logarithmic scale, what has either sign on a linear one.
/// \return what it shows \throws Error(bad_argument) for a component that is not there
PlaneValues draw_density(const Density& density, const std::string& path,
                         const std::optional<Plane>& plane = std::nullopt, int component = 0);

}  // namespace seiche
