// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads WFN.h5 files of BerkeleyGW: rydberg, lengths in units of alat, bands slowest, all k-points consecutive.
#include "files/berkeleygw/berkeleygw.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "containers/hdf5.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/berkeleygw/berkeleygw_crystal.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

/// A group of the file; each name below is in one group.
class ReadGroup {
 public:
  ReadGroup(const Hdf5File& file, std::string name) : file_(file), name_(std::move(name)) {}
  std::vector<double> reals(const char* name, std::int64_t n) const { return file_.read(name_ + name, n); }
  std::vector<std::int32_t> integers(const char* name, std::int64_t n) const {
    return file_.read_integers(name_ + name, n);
  }
  bool has(const char* name) const { return file_.has(name_ + name); }
  double real(const char* name) const { return reals(name, 1)[0]; }
  std::int32_t integer(const char* name) const { return integers(name, 1)[0]; }

 private:
  const Hdf5File& file_;
  std::string name_;
};

void read_crystal(const ReadGroup& group, OrbitalHeader& header) {
  const double alat = group.real("alat");
  const auto avec = group.reals("avec", 9);
  for (std::size_t i = 0; i < 9; ++i) header.crystal.lattice[i / 3][i % 3] = alat * avec[i];
  const std::int64_t atoms = group.integer("nat");
  const auto types = group.integers("atyp", atoms);
  const auto positions = group.reals("apos", 3 * atoms);
  for (std::size_t i = 0; i < types.size(); ++i) {
    header.crystal.atoms.push_back(
        {symbol_of(types[i]), {alat * positions[3 * i], alat * positions[3 * i + 1], alat * positions[3 * i + 2]}});
  }
}

/// The file has space for 48 operations.
void read_operations(const ReadGroup& group, OrbitalHeader& header) {
  const std::int32_t count = group.integer("ntran");
  require(count >= 1 && count <= 48, Fault::bad_file,
          "{}: mf_header/symmetry/ntran must be 1 to 48 (got {}): rerun the code that wrote the file", header.path,
          count);
  const auto rotations = group.integers("mtrx", 9 * 48);
  const auto translations = group.reals("tnp", 3 * 48);
  header.crystal.operations = operations_of_berkeleygw(std::span(rotations).first(size_of(9 * count)), translations);
}

void read_kpoints(const ReadGroup& group, OrbitalHeader& header) {
  const std::int64_t spins = group.integer("nspin"), spinor = group.integer("nspinor");
  require((spins == 1 || spins == 2) && (spinor == 1 || spinor == 2) && spins * spinor < 4, Fault::bad_file,
          "{}: nspin and nspinor must be 1 or 2, and not both 2 (got {} and {}): rerun the code that wrote the file",
          header.path, spins, spinor);
  header.spins = static_cast<int>(spins);
  header.spinor = static_cast<int>(spinor);
  header.magnetism = spins == 2 ? Magnetism::collinear : spinor == 2 ? Magnetism::vector : Magnetism::none;
  header.bands = group.integer("mnband");
  const std::int64_t count = group.integer("nrk");
  require(header.bands > 0 && count > 0, Fault::bad_file, "{} has {} bands and {} k-points: rerun the code",
          header.path, header.bands, count);
  header.cutoff = group.real("ecutwfc") / 2;
  if (group.has("kgrid") && group.has("shift")) {
    const auto mesh = group.integers("kgrid", 3);
    const auto shift = group.reals("shift", 3);
    std::copy(mesh.begin(), mesh.end(), header.mesh.begin());
    std::copy(shift.begin(), shift.end(), header.mesh_shift.begin());
  }
  const auto waves = group.integers("ngk", count);
  const auto weights = group.reals("w", count), points = group.reals("rk", 3 * count);
  for (std::size_t k = 0; k < waves.size(); ++k) {
    require(waves[k] > 0, Fault::bad_file,
            "{}: k-point {} has an invalid number of plane waves ({}): rerun the code that wrote the file", header.path,
            k + 1, waves[k]);
    header.kpoints.push_back({{points[3 * k], points[3 * k + 1], points[3 * k + 2]}, weights[k], waves[k]});
  }
  header.energies = group.reals("el", spins * count * header.bands);
  for (double& energy : header.energies) energy /= 2;
  header.occupations = group.reals("occ", spins * count * header.bands);
}

/// Reads the group of Seiche. In files of other programs the norms of the bands decide whether they are
/// norm-conserving.
void read_own(const Hdf5File& file, WaveTable& table) {
  OrbitalHeader& h = table.header;
  const std::string name = std::string(berkeleygw_own) + "/";
  if (!file.has(berkeleygw_own) || !file.has(name + "norm_conserving")) {
    h.norm_conserving = norms_are_one(table) ? NormConserving::yes : NormConserving::unknown;
    return;
  }
  const ReadGroup group(file, name);
  const std::int32_t norms = group.integer("norm_conserving");
  require(norms >= 0 && norms <= 2, Fault::bad_file,
          "{}: {}norm_conserving must be 0 to 2 (got {}): rerun the code that wrote the file", h.path, name, norms);
  h.norm_conserving = static_cast<NormConserving>(norms);
  h.averaged = group.integer("averaged") != 0;
  h.weighted = group.integer("weighted") != 0;
  if (group.integer("operations_known") == 0) h.crystal.operations.clear();
  h.electrons = group.real("electrons");
  require(std::isfinite(h.electrons), Fault::bad_file,
          "{}: {}electrons is not finite: rerun the code that wrote the file", h.path, name);
  if (file.has(name + "total_energy")) h.total_energy = group.real("total_energy");
  if (file.has(name + "fermi_energy")) h.fermi_energy = group.real("fermi_energy");
}

void locate(const Hdf5File& file, std::int64_t flavour, WaveTable& table) {
  const OrbitalHeader& h = table.header;
  std::int64_t all = 0;
  for (const KPoint& k : h.kpoints) all += k.plane_waves;
  const Extent waves = file.extent("wfns/gvecs"), coefficients = file.extent("wfns/coeffs");
  require(waves.count == 3 * all && coefficients.count == h.bands * h.spins * h.spinor * all * flavour, Fault::bad_file,
          "{}: the sizes of wfns/gvecs and wfns/coeffs ({} and {}) do not match {} plane waves and {} bands: rerun the "
          "code that wrote the file",
          h.path, waves.count, coefficients.count, all, h.bands);
  require_complete(File(h.path), coefficients);
  const std::int64_t row = all * flavour * bytes_of(coefficients.element);
  for (std::int64_t spin = 0; spin < h.spins; ++spin) {
    std::int64_t before = 0;
    for (const KPoint& k : h.kpoints) {
      WaveBlock& block = table.blocks.emplace_back();
      block.waves = {waves};
      block.waves[0].offset += 3 * before * bytes_of(waves.element);
      block.waves[0].count = 3 * k.plane_waves;
      block.first_band = coefficients;
      block.first_band.offset += spin * row + before * flavour * bytes_of(coefficients.element);
      block.first_band.count = flavour * k.plane_waves;
      block.component_stride = row;
      block.band_stride = row * h.spins * h.spinor;
      block.real = flavour == 1;
      before += k.plane_waves;
    }
  }
}

}  // namespace

bool recognises_berkeleygw(const std::string& path) {
  if (!std::filesystem::is_regular_file(path) || !Hdf5File::recognises(path)) return false;
  const Hdf5File file = Hdf5File::open(path);
  return file.has("mf_header") && file.has("wfns");
}

WaveTable read_berkeleygw(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  const ReadGroup top(file, "mf_header/"), gspace(file, "mf_header/gspace/");
  WaveTable table;
  OrbitalHeader& header = table.header;
  header.path = path;
  const std::int32_t version = top.integer("versionnumber"), flavour = top.integer("flavor");
  require(version == 1, Fault::unsupported, "{}: version {} of WFN.h5 is not supported: write it as version 1", path,
          version);
  require(flavour == 1 || flavour == 2, Fault::bad_file,
          "{}: mf_header/flavor must be 1 or 2 (got {}): rerun the code that wrote the file", path, flavour);
  header.format = flavour == 2 ? "BerkeleyGW WFN.h5" : "BerkeleyGW WFN.h5 (real)";
  read_crystal({file, "mf_header/crystal/"}, header);
  read_operations({file, "mf_header/symmetry/"}, header);
  read_kpoints({file, "mf_header/kpoints/"}, header);
  require_sound_crystal(header);
  normalise_weights(header);
  const auto grid = gspace.integers("FFTgrid", 3);
  require(grid[0] > 0 && grid[1] > 0 && grid[2] > 0, Fault::bad_file,
          "{}: mf_header/gspace/FFTgrid has no points: rerun the code that wrote the file", path);
  header.grid = {grid[0], grid[1], grid[2]};
  header.density_cutoff = gspace.real("ecutrho") / 2;
  header.density_waves = gspace.integer("ng");
  header.electrons = electrons_of(header);
  locate(file, flavour, table);
  read_own(file, table);
  if (file.has("seiche") && file.has(berkeleygw_checksums)) {
    table.checksums = file.extent(berkeleygw_checksums);
    require(table.checksums.count == 2 * static_cast<std::int64_t>(header.energies.size()), Fault::bad_file,
            "{}: {} does not hold one checksum per band: rerun the code that wrote the file", path,
            berkeleygw_checksums);
    require_complete(File(path), table.checksums);
  }
  return table;
}

}  // namespace seiche
