// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities that codes wrote as values on a grid: CASTEP's .check, ABINIT's DEN (Fortran and NetCDF), and our
/// own .h5.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/containers/extents.hpp"
#include "files/wavefile_body.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Where the values of a density lie: that of component c at (x, y, z) at byte
/// first.offset + c component_stride + x stride[0] + y stride[1] + z stride[2].
struct GridDensityTable {
  Crystal crystal;
  GridShape grid;
  Extent first;  ///< the first value: file, element, byte order
  std::array<std::int64_t, 3> stride{};
  std::int64_t component_stride = 0;
  int components = 1;         ///< total; m_z; or m_x, m_y, m_z
  double scale = 1;           ///< to electrons per bohr^3
  bool second_is_up = false;  ///< the second component is the density of spin up, not m_z
  std::string units = electrons_per_volume;
  double cutoff = 0;  ///< of the density's waves, hartree; 0: the file does not say
};

inline void describe(Archive& archive, GridDensityTable& t) {
  archive(t.crystal, t.grid, t.first, t.stride, t.component_stride, t.components, t.scale, t.second_is_up, t.units,
          t.cutoff);
}

/// What `path` says, or nothing when it is no such density. \throws Error(bad_file) for a damaged one
std::optional<GridDensityTable> find_grid_density(const std::string& path);

/// The values of all components in a box of the grid, x fastest.
std::vector<std::vector<double>> read_grid_density(const GridDensityTable& table, const Box& box);

/// Writes this rank's part of a density to where a table without `second_is_up` has it.
void write_grid_density(const GridDensityTable& table, const Density& density);

}  // namespace seiche
