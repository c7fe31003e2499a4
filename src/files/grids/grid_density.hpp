// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities and potentials that codes wrote as values on a grid: CASTEP's .check, ABINIT's DEN, POT, VHA, VHXC,
/// VXC and VPSP (Fortran and NetCDF), and our own .h5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/containers/extents.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// What the components in a file are.
enum class SpinValues : int {
  moments,       ///< the total; the total and m_z; the total and m_x, m_y, m_z
  total_and_up,  ///< a density's total and its spin up
  up_and_down    ///< a potential of spin up and of spin down; and of spinors Re and Im of that between up and down
};

/// Where the values of a density lie: that of component c at (x, y, z) at byte
/// first.offset + c component_stride + x stride[0] + y stride[1] + z stride[2].
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
  double cutoff = 0;         ///< of its sphere of waves, hartree; 0: not known
  bool half_sphere = false;  ///< its code keeps one of each pair of waves G, -G
};

inline void describe(Archive& archive, GridDensityTable& t) {
  archive(t.crystal, t.grid, t.first, t.stride, t.component_stride, t.components, t.scale, t.spins, t.units, t.cutoff,
          t.half_sphere);
}

/// Whether a Fortran file of ABINIT with this fform holds values on a grid that find_grid_density knows.
bool is_abinit_grid(std::int32_t form);

/// What `path` says, or nothing when it is no such density. \throws Error(bad_file) for a damaged one
std::optional<GridDensityTable> find_grid_density(const std::string& path);

/// The values of all components in a box of the grid, x fastest.
std::vector<std::vector<double>> read_grid_density(const GridDensityTable& table, const Box& box);

/// Writes this rank's part of a density to where a table of moments has it.
void write_grid_density(const GridDensityTable& table, const Density& density);

}  // namespace seiche
