// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities and potentials as values on a grid: .check of CASTEP, DEN, POT, VHA, VHXC, VXC and VPSP of ABINIT
/// (Fortran and NetCDF), and .h5 of Seiche.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "containers/extents.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// The meaning of the components in a file.
enum class SpinValues : int {
  moments,       ///< the total; the total and m_z; the total and m_x, m_y, m_z
  total_and_up,  ///< for a density: the total and the spin-up density
  up_and_down  ///< for a potential: of spin up and of spin down; for spinors also Re and Im of the part between up and
               ///< down
};

/// The positions of the values of a density: component c at (x, y, z) is at byte first.offset + c component_stride + x
/// stride[0] + y stride[1] + z stride[2].
struct GridDensityTable {
  Crystal crystal;
  GridShape grid;
  Extent first;  ///< the first value: file, element, byte order
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;
  int components = 1;  ///< total; m_z; or m_x, m_y, m_z
  double scale = 1;    ///< to electrons per bohr^3
  SpinValues spins = SpinValues::moments;
  std::string units = electrons_per_volume;
  double cutoff = 0;         ///< of its sphere of waves, hartree; 0: unknown
  bool half_sphere = false;  ///< its code keeps one of each pair of waves G, -G
};

inline void describe(Archive& archive, GridDensityTable& t) {
  archive(t.crystal, t.grid, t.first, t.stride, t.component_stride, t.components, t.scale, t.spins, t.units, t.cutoff,
          t.half_sphere);
}

/// Whether a Fortran file of ABINIT with this fform holds values on a grid that find_grid_density supports.
bool is_abinit_grid(std::int32_t form);

/// Returns the description of `path`, or nothing if it is no such density. \throws Error(bad_file) for a damaged one
std::optional<GridDensityTable> find_grid_density(const std::string& path);

/// Returns the values of all components in a box of the grid, x fastest.
std::vector<std::vector<double>> read_grid_density(const GridDensityTable& table, const Box& box);

/// Writes this rank's part of a density at the positions of a table of moments.
void write_grid_density(const GridDensityTable& table, const Density& density);

}  // namespace seiche
