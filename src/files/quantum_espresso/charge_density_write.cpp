// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes charge-density.dat and .hdf5 of Quantum ESPRESSO, and RHO of BerkeleyGW: a density as its plane waves,
/// in the order that pw.x assumes (it ignores the indices). Each rank transforms and writes its own part of the list.
#include <filesystem>

#include "comm/agree.hpp"
#include "containers/archive.hpp"
#include "containers/fortran_writer.hpp"
#include "containers/hdf5.hpp"
#include "containers/output_file.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

void make_charge_dat(const std::string& path, const Density& density, ChargeDensityTable& table) {
  const std::size_t components = density.components.size();
  FortranWriter file(path);
  file.write(std::int32_t{table.half_sphere}, static_cast<std::int32_t>(table.count),
             static_cast<std::int32_t>(components));
  file.write(table.reciprocal);
  table.waves = file.leave_room(3 * table.count, Element::int32);
  for (std::size_t c = 0; c < components; ++c)
    table.components.push_back(file.leave_room(2 * table.count, Element::float64));
  file.close();
}

void make_charge_hdf5(const std::string& path, const Density& density, ChargeDensityTable& table) {
  const std::size_t components = density.components.size();
  const auto count = static_cast<hsize_t>(table.count);
  const Hdf5File file = Hdf5File::create(path);
  file.write_text("gamma_only", table.half_sphere ? ".TRUE." : ".FALSE.");
  file.write_attribute("ngm_g", static_cast<std::int32_t>(table.count));
  file.write_attribute("nspin", static_cast<std::int32_t>(components));
  table.waves = file.make_room("MillerIndices", {count, 3}, Element::int32);
  for (const auto& [name, i] : {std::pair("bg1", 0U), std::pair("bg2", 1U), std::pair("bg3", 2U)}) {
    file.write_attribute("MillerIndices", name, table.reciprocal[i]);
  }
  const std::vector<const char*> names =
      components == 2 ? std::vector{"rhotot_g", "rhodiff_g"} : std::vector{"rhotot_g", "m_x", "m_y", "m_z"};
  for (std::size_t c = 0; c < components; ++c) table.components.push_back(file.make_room(names[c], {2 * count}));
}

void make_charge_rho(const std::string& path, const Density& density, ChargeDensityTable& table) {
  make_berkeleygw_density(path, density.crystal, density.grid, density.cutoff, density.components.size(), table);
}

/// Converts total and m_z to spin up and down.
void split_spins(std::span<Complex> values) {
  const std::size_t waves = values.size() / 2;
  for (std::size_t i = 0; i < waves; ++i) {
    const Complex total = values[i], m = values[waves + i];
    values[i] = (total + m) / 2.0;
    values[waves + i] = (total - m) / 2.0;
  }
}

/// Writes this rank's waves and values.
void write_part(const ChargeDensityTable& table, Range mine, std::span<const Miller> waves,
                std::span<const Complex> values) {
  const File file(table.waves.path, File::Mode::write);
  std::vector<std::int32_t> indices;
  for (const Miller& g : waves) indices.insert(indices.end(), {g.x, g.y, g.z});
  write_extent(file, table.waves, {3 * mine.low, 3 * mine.high}, std::span(std::as_const(indices)));
  for (const Extent& component : table.components) {
    const auto* numbers = reinterpret_cast<const double*>(values.data());
    write_extent(file, component, {2 * mine.low, 2 * mine.high}, std::span(numbers, 2 * waves.size()));
    values = values.subspan(waves.size());
  }
  file.flush();
}

/// \throws Error if a density has no plane waves, or more components than the file supports
void require_plane_waves(const Density& density, const std::string& path) {
  require(density.units == electrons_per_volume, Fault::bad_argument,
          "cannot write {}: files of this format hold densities (got values in {}): write a .cube or .h5", path,
          density.units);
  require(density.cutoff > 0, Fault::bad_argument,
          "cannot write {}: the cutoff of the density is unknown, but the format holds its plane waves: write a .cube "
          "or .h5",
          path);
  require(!names_berkeleygw_density(path) || density.components.size() <= 2, Fault::unsupported,
          "{}: a RHO cannot hold a noncollinear magnetisation: write an .h5", path);
}

}  // namespace

std::vector<std::string> write_charge_density(const Density& density, const std::string& path) {
  const Communicator& comm = density.comm;
  ChargeDensityTable table;
  const bool rho = names_berkeleygw_density(path);
  table.half_sphere = density.half_sphere && !rho;
  table.reciprocal = density.crystal.reciprocal();
  std::vector<Miller> waves;
  Range mine;
  together(comm, [&] {
    require_plane_waves(density, path);
    const auto& b = table.reciprocal;
    waves = in_quantum_espresso_order(b, sphere_of_waves(b, {}, density.cutoff, table.half_sphere));
    table.count = std::ssize(waves);
    mine = block(table.count, comm.size(), comm.rank());
    waves = {waves.begin() + mine.low, waves.begin() + mine.high};
  });
  SphereFft<Complex> fft(comm, density.grid, waves, {.reproducible = true, .band_groups = 1});
  require(fft.grid_box() == density.box, Fault::internal, "two plans of the same grid distribute it differently");
  std::vector<Complex> values(density.components.size() * waves.size());
  for (std::size_t c = 0; c < density.components.size(); ++c) {
    const std::vector<Complex> grid(density.components[c].begin(), density.components[c].end());
    fft.forward(grid, std::span(values).subspan(c * waves.size(), waves.size()));
  }
  OutputFile output(comm, path);
  found_by_root(comm, table, [&] {
    const bool hdf5 = std::filesystem::path(path).extension() == ".hdf5";
    (rho ? make_charge_rho : hdf5 ? make_charge_hdf5 : make_charge_dat)(output.temporary(), density, table);
  });
  if (table.spins) split_spins(values);
  for (Complex& value : values) value /= table.scale;
  together(comm, [&] { write_part(table, mine, waves, values); });
  output.commit();
  return {path};
}

}  // namespace seiche
