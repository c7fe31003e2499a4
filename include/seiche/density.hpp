// SPDX-License-Identifier: BSD-3-Clause
/// \file  Electron densities: from wavefunctions, from files, symmetrised, compared, written.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "seiche/fft.hpp"
#include "seiche/layout.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

inline constexpr const char* electrons_per_volume = "electrons per bohr^3";

/// A density on its grid, distributed over ranks in boxes whose rows along x are whole (see SphereFft::grid_box).
/// components[0] is the total; then nothing, or m_z (up - down), or m_x, m_y, m_z. From a file of text it may be
/// another quantity, such as a potential.
struct Density {
  Crystal crystal;
  GridShape grid;
  Box box;                                      ///< the part held by this rank
  std::vector<std::vector<double>> components;  ///< each box.volume() values, x fastest
  double cutoff = 0;                            ///< of its sphere of waves, hartree; 0: not known
  bool half_sphere = false;                     ///< its code keeps one of each pair of waves G, -G
  std::string units = electrons_per_volume;     ///< of the values
};

struct DensityOptions {
  FftOptions fft{.reproducible = true};
  std::function<void(double done)> progress;  ///< called on every rank with the fraction done, 0 to 1
  std::map<std::string, double>* seconds =
      nullptr;               ///< where to add the seconds of each stage: read, transform, symmetrise
  bool as_they_are = false;  ///< the bands' own sum, whether or not it holds the header's electrons
};

/// Collective. The density of `file`: sum over spins, k-points and bands of weight x occupation x |psi(r)|^2,
/// cut off at the density's own sphere of waves and symmetrised by the crystal's operations. \throws Error unless it
/// holds the electrons of the header within 1e-6 of them, as it does not where bands lack augmentation charges or are
/// missing
Density density_of(MPI_Comm comm, const WaveFile& file, const DensityOptions& options = {});

/// Collective. The density that a code wrote: a Quantum ESPRESSO .save or charge-density.dat/.hdf5, a CASTEP .check, an
/// ABINIT DEN, our own .h5, or a .cube or .xsf file (with those of its magnetisation, where they lie beside). Laid out
/// as `like`, on whose grid it must be. \throws Error when the file has other components, cell or grid
Density read_density(MPI_Comm comm, const std::string& path, const Density& like,
                     const FftOptions& options = {.reproducible = true});

/// Collective. The same for a file that says itself what its crystal and grid are: all of the above, but of Quantum
/// ESPRESSO's a .save or a charge-density in one. Numbers in .cube and .xsf files of others are taken as they are,
/// whatever they mean; `units` then names the file.
Density read_density(MPI_Comm comm, const std::string& path);

/// Collective. Whether `path` holds a density, or another quantity on a grid, and no wavefunctions.
bool holds_density_only(MPI_Comm comm, const std::string& path);

/// Whether write_density would know what to write by the name `path`, and write_orbitals not: .cube, .xsf, or
/// charge-density.dat or .hdf5.
bool names_density(const std::string& path);

/// Collective. The density beside the waves of `file`, on its header's grid. \throws Error when there is none
Density read_density(const WaveFile& file);

/// Collective. Largest |a - b| over the grid, over the largest |b|: of the total, and of the magnetisation (as a
/// vector).
struct Deviation {
  double density = 0;
  std::optional<double> magnetisation;
  double largest() const { return magnetisation && *magnetisation > density ? *magnetisation : density; }
};
/// Collective. \throws Error unless both lie on the same grid, shared out alike
Deviation compare(MPI_Comm comm, const Density& a, const Density& b);

/// Collective. Electrons in the cell, and the integrals of the magnetisation's components; summed in an order that does
/// not depend on the number of ranks.
std::vector<double> integrals(MPI_Comm comm, const Density& density);

/// Collective. Writes .cube, .xsf, .h5, or Quantum ESPRESSO's charge-density.dat or .hdf5, by the name `path`, under
/// that name only when complete. Text formats hold one component; further components go to files with _mz (or _mx, _my,
/// _mz) before the ending. \return files written
std::vector<std::string> write_density(MPI_Comm comm, const Density& density, const std::string& path);

/// Collective. Throws at once what write_density or draw_density would throw after a long computation: for an ending
/// they do not know, or a place where no file can be made. Leaves nothing behind.
void expect_output(MPI_Comm comm, const std::string& path);

/// Collective. A PNG picture of the total density on the plane through an atom and its two nearest neighbours (without
/// atoms, that of two lattice vectors), with lines of equal density.
void draw_density(MPI_Comm comm, const Density& density, const std::string& path);

}  // namespace seiche
