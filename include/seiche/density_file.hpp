// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reading, writing and drawing of densities and other quantities on a grid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "seiche/cut.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Collective. Reads a density with the grid and distribution of `like`. It reads files of Quantum
/// ESPRESSO (.save, charge-density.dat, .hdf5), CASTEP (.check, .den_fmt, .pot_fmt) and ABINIT (DEN, POT, VHA, VHXC,
/// VXC, VPSP). It also reads BerkeleyGW (RHO), VASP (CHGCAR, LOCPOT and related files), Seiche (.h5), .cube and .xsf.
/// Files of the magnetization next to a .cube or .xsf file are read, too.
/// \throws Error if the file has other components, another cell or another grid
Density read_density(const std::string& path, const Density& like, const FftOptions& options = {.reproducible = true});

/// Collective. Reads a density with the crystal and grid of the file. A charge-density of Quantum ESPRESSO must be in
/// its .save folder. Numbers in .cube and .xsf files of other programs are not converted; `units` then names the file.
/// \throws Error(bad_file) if the file is missing, damaged or of unknown format
Density read_density(const Communicator& comm, const std::string& path);

/// Local. Sets the unit of values from a .cube or .xsf file of another program, and converts them to the unit of this
/// library. `unit` is electrons/bohr3, electrons/angstrom3, hartree, rydberg or eV. Values in rydberg become hartree.
/// Values per angstrom^3 become values per bohr^3.
/// \throws Error(bad_argument) for another unit, and if the unit of the values is known
void set_unit(Density& density, const std::string& unit);

/// Collective. Tells whether `path` contains a quantity on a grid and no wavefunctions.
bool holds_density_only(const Communicator& comm, const std::string& path);

/// Local. Tells whether the name `path` selects a format of write_density() that write_orbitals() does not have. These
/// are .cube, .xsf, CHGCAR and related names, .vasp, .den_fmt, .pot_fmt and .elf_fmt, RHO, and charge-density.dat or
/// .hdf5.
bool names_density(const std::string& path);

/// Collective. Writes a density. The name selects the format: .cube, .xsf or .h5. Names that begin with CHGCAR, PARCHG,
/// LOCPOT or ELFCAR, or end in .chgcar, select VASP. The endings .den_fmt, .pot_fmt and .elf_fmt select CASTEP. RHO or
/// .rho selects BerkeleyGW, charge-density.dat or .hdf5 Quantum ESPRESSO. A .cube or .xsf file has one component.
/// Further components get files with _mz (or _mx, _my, _mz) before the extension. A file appears under its name only
/// when it is complete.
/// \return names of the files written
/// \throws Error for an unknown format, and if a file cannot be written
std::vector<std::string> write_density(const Density& density, const std::string& path);

/// A set of density files that appear together when all of them are complete. Without commit(), existing files stay
/// unchanged. One thread at a time may use it (see communicator.hpp).
class DensityFiles {
 public:
  /// Collective. Prepares temporary files in the folder of `path`.
  /// \throws Error(unwritable) if no file can be created there
  DensityFiles(const Communicator& comm, const std::string& path);
  ~DensityFiles();
  DensityFiles(DensityFiles&&) noexcept;
  DensityFiles& operator=(DensityFiles&&) = delete;

  /// Collective. Writes a density as write_density() does, under temporary names. \return the final names of its files
  std::vector<std::string> add(const Density& density, const std::string& path);
  /// Collective. Renames all files to their final names.
  void commit();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

/// Collective. Checks that write_density() or draw_density() can write to `path`. Call it before a long computation. No
/// file is left behind.
/// \throws Error for an unknown extension, and if no file can be created there
void expect_output(const Communicator& comm, const std::string& path);

/// Collective. Draws a component on a plane as a PNG picture with contour lines. The default plane is plane_of_bonds().
/// Densities have a logarithmic scale, quantities with both signs a linear one.
/// \return the values on the plane
/// \throws Error(bad_argument) for a component that does not exist
PlaneValues draw_density(const Density& density, const std::string& path,
                         const std::optional<Plane>& plane = std::nullopt, int component = 0);

}  // namespace seiche
