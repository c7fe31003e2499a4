// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads WFK.nc files of ABINIT (ETSF): the same contents as the Fortran file; rows are padded to the largest
/// k-point.
#include <filesystem>

#include "containers/netcdf.hpp"
#include "files/abinit/abinit.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr const char* coefficients_name = "coefficients_of_wavefunctions";  // [spin][k][band][spinor][wave][2]
constexpr const char* wave_indices = "reduced_coordinates_of_plane_waves";  // [k][wave][3]

AbinitFacts read_facts(const NetCdfFile& file, const std::vector<std::int64_t>& shape) {
  const std::int64_t spins = shape[0], kpoints = shape[1];
  AbinitFacts f = read_abinit_netcdf_crystal(file);
  f.nsppol = static_cast<std::int32_t>(spins);
  f.mband = static_cast<std::int32_t>(shape[2]);
  f.nspinor = static_cast<std::int32_t>(shape[3]);
  f.nspden = static_cast<std::int32_t>(file.dimension("number_of_components"));
  f.usepaw = file.integer("usepaw");
  for (std::size_t i = 0; i < 3; ++i) {
    f.ngfft[i] = static_cast<std::int32_t>(file.dimension("number_of_grid_points_vector" + std::to_string(i + 1)));
  }
  f.ecut_eff = file.real("ecut_eff");
  f.nelect = file.real("nelect");
  f.istwfk = file.integers("istwfk", kpoints);
  f.nband = file.integers("number_of_states", spins * kpoints);
  f.npwarr = file.integers("number_of_coefficients", kpoints);
  f.kptns = file.reals("reduced_coordinates_of_kpoints", 3 * kpoints);
  f.wtk = file.reals("kpoint_weights", kpoints);
  f.occ = file.reals("occupations", spins * kpoints * f.mband);
  if (file.has("etot")) f.etotal = file.real("etot");
  if (file.has("fermi_energy")) f.fermie = file.real("fermi_energy");
  if (file.has("kptrlatt") && file.has("shiftk") && file.shape("shiftk").size() == 2) {
    if (file.has("kptopt")) f.kptopt = file.integer("kptopt");
    f.kptrlatt = file.integers("kptrlatt", 9);
    f.shiftk = file.reals("shiftk", 3 * file.shape("shiftk")[0]);
  }
  return f;
}

}  // namespace

std::array<Vector3, 3> read_abinit_netcdf_lattice(const NetCdfFile& file) {
  const auto numbers = file.reals("primitive_vectors", 9);
  std::array<Vector3, 3> lattice{};
  for (std::size_t i = 0; i < 9; ++i) lattice[i / 3][i % 3] = numbers[i];
  return lattice;
}

AbinitFacts read_abinit_netcdf_crystal(const NetCdfFile& file) {
  AbinitFacts f;
  f.rprimd = read_abinit_netcdf_lattice(file);
  const std::int64_t operations = file.dimension("number_of_symmetry_operations");
  f.symrel = file.integers("reduced_symmetry_matrices", 9 * operations);
  f.tnons = file.reals("reduced_symmetry_translations", 3 * operations);
  f.symafm = file.integers("symafm", operations);
  const std::int64_t atoms = file.dimension("number_of_atoms");
  f.typat = file.integers("atom_species", atoms);
  f.xred = file.reals("reduced_atom_positions", 3 * atoms);
  f.znucltypat = file.reals("atomic_numbers", file.dimension("number_of_atom_species"));
  return f;
}

bool recognises_abinit_netcdf(const std::string& path) {
  if (!std::filesystem::is_regular_file(path) || !NetCdfFile::recognises(path)) return false;
  return NetCdfFile(path).has(coefficients_name);
}

WaveTable read_abinit_netcdf(const std::string& path) {
  const NetCdfFile file(path);
  const auto shape = file.shape(coefficients_name);
  require(shape.size() == 6 && shape[5] == 2, Fault::bad_file, "{}: {} has not the dimensions of complex wavefunctions",
          path, coefficients_name);
  const AbinitFacts facts = read_facts(file, shape);
  WaveTable table;
  OrbitalHeader& h = table.header;
  h = header_of(facts, path);
  h.format = "ABINIT WFK (NetCDF)";
  h.energies = file.reals("eigenvalues", static_cast<std::int64_t>(h.occupations.size()));
  const Extent waves = file.extent(wave_indices), all = file.extent(coefficients_name);
  const std::int64_t row = shape[4], kpoints = shape[1];
  require(waves.count == 3 * row * kpoints && all.count == shape[0] * kpoints * shape[2] * shape[3] * row * 2,
          Fault::bad_file, "{}: the sizes of {} and {} do not match: check that it is a wavefunction file of ABINIT",
          path, wave_indices, coefficients_name);
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      const std::int64_t n = facts.npwarr[k];
      require(n <= row, Fault::bad_file, "{}: {} plane waves at k-point {} exceed the dimension {}", path, n, k + 1,
              row);
      WaveBlock& block = table.blocks.emplace_back();
      block.waves = {waves};
      block.waves[0].offset += static_cast<std::int64_t>(k) * row * 3 * bytes_of(waves.element);
      block.waves[0].count = 3 * n;
      block.component_stride = 2 * row * bytes_of(all.element);
      block.band_stride = h.spinor * block.component_stride;
      block.first_band = all;
      block.first_band.offset += (spin * kpoints + static_cast<std::int64_t>(k)) * h.bands * block.band_stride;
      block.first_band.count = 2 * n;
      leave_out_mirrored(facts, table, k, block);
    }
  }
  require_complete(table);
  return table;
}

}  // namespace seiche
