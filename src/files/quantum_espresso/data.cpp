// SPDX-License-Identifier: BSD-3-Clause
/// \file  The binary part of a Quantum ESPRESSO .save: the positions of waves, coefficients and density.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "containers/fortran.hpp"
#include "containers/hdf5.hpp"
#include "crystal/lattice.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/quantum_espresso/wfc_file_body.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// The header of a file of wavefunctions.
struct WaveFacts {
  Vector3 k{};  ///< cartesian, bohr^-1
  bool half_sphere = false;
  double scale = 1;
  std::int64_t waves = 0, spinor = 0, bands = 0;
};

bool is_true(const std::string& fortran) { return fortran.find('T') != std::string::npos; }

bool is_hdf5(const std::string& path) { return std::filesystem::path(path).extension() == ".hdf5"; }

/// The header that a file must match.
struct Expected {
  const OrbitalHeader& header;
  const KPoint& kpoint;
  const char* source = "data-file-schema.xml";
  bool fewer_bands = false;  ///< whether the header may have fewer bands than the file
};

void check_count(const std::string& path, const char* what, std::int64_t here, std::int64_t header,
                 const char* source = "data-file-schema.xml") {
  require(here == header, Fault::bad_file,
          "{} has {} {}, but {} has {}: the files are of different runs, give those of one run", path, here, what,
          source, header);
}

void check_facts(const std::string& path, const WaveFacts& facts, const Expected& expected) {
  const OrbitalHeader& header = expected.header;
  const std::int64_t bands = expected.fewer_bands ? std::min<std::int64_t>(facts.bands, header.bands) : facts.bands;
  check_count(path, "plane waves", facts.waves, expected.kpoint.plane_waves, expected.source);
  check_count(path, "bands", bands, header.bands, expected.source);
  check_count(path, "spinor components", facts.spinor, header.spinor, expected.source);
  require(facts.half_sphere == header.half_sphere, Fault::bad_file,
          "{} and {} disagree on gamma_only: the files are of different runs, give those of one run", path,
          expected.source);
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = dot(header.crystal.lattice[i], facts.k) / (2 * std::numbers::pi);
    require(std::abs(k - expected.kpoint.k[i]) < 1e-6, Fault::bad_file,
            "{} belongs to another k-point than declared in {}: give the files of one run", path, expected.source);
  }
  require(facts.scale == 1, Fault::unsupported, "{} has coefficients scaled by {}: only files of pw.x are supported",
          path, facts.scale);
}

WaveBlock locate_in_dat(const std::string& path, const Expected& expected) {
  const File file(path);
  FortranRecords records(file);
  WaveFacts facts;
  auto first = records.next(44);
  first.take<std::int32_t>();  // the number of the k-point
  facts.k = first.take<Vector3>();
  first.take<std::int32_t>();  // the spin
  facts.half_sphere = first.take<std::int32_t>() != 0;
  facts.scale = first.take<double>();
  auto second = records.next(16);
  second.take<std::int32_t>();  // ngw: the highest index in the list of all G, not a count
  facts.waves = second.take<std::int32_t>();
  facts.spinor = second.take<std::int32_t>();
  facts.bands = second.take<std::int32_t>();
  check_facts(path, facts, expected);
  records.next(72);  // the reciprocal lattice, which the XML contains as well
  WaveBlock block;
  block.waves = {records.skip(3 * facts.waves, Element::int32)};
  block.first_band = records.skip(2 * facts.spinor * facts.waves, Element::float64);
  block.band_stride = block.first_band.record_stride();
  require_complete(file, block.run(expected.header.bands - 1, 0));
  return block;
}

WaveBlock locate_in_hdf5(const std::string& path, const Expected& expected) {
  const Hdf5File file = Hdf5File::open(path);
  WaveFacts facts;
  const auto k = file.reals(".", "xk");
  require(k.size() == 3, Fault::bad_file, "{}: attribute xk has {} numbers instead of 3", path, k.size());
  std::copy(k.begin(), k.end(), facts.k.begin());
  facts.half_sphere = is_true(file.text("gamma_only"));
  facts.scale = file.real("scale_factor");
  facts.waves = file.integer("igwx");
  facts.spinor = file.integer("npol");
  facts.bands = file.integer("nbnd");
  check_facts(path, facts, expected);
  WaveBlock block;
  block.waves = {file.extent("MillerIndices")};
  check_count(path, "Miller indices", block.waves[0].count, 3 * facts.waves);
  block.first_band = file.extent("evc");
  check_count(path, "numbers in evc", block.first_band.count, 2 * facts.spinor * facts.waves * facts.bands);
  block.first_band.count = 2 * facts.spinor * facts.waves;
  block.band_stride = block.first_band.bytes();
  require_complete(File(path), block.run(expected.header.bands - 1, 0));
  return block;
}

std::array<Vector3, 3> rows(const std::vector<double>& numbers) {
  std::array<Vector3, 3> b{};
  for (std::size_t i = 0; i < 9; ++i) b[i / 3][i % 3] = numbers[i];
  return b;
}

ChargeDensityTable charge_density_in_dat(const std::string& path) {
  const File file(path);
  FortranRecords records(file);
  ChargeDensityTable table;
  auto first = records.next(12);
  table.half_sphere = first.take<std::int32_t>() != 0;
  table.count = first.take<std::int32_t>();
  const auto components = first.take<std::int32_t>();
  require(table.count > 0 && (components == 1 || components == 2 || components == 4), Fault::bad_file,
          "{} has {} waves and {} components: check that it is a charge-density file", path, table.count, components);
  table.reciprocal = records.next(72).take<std::array<Vector3, 3>>();
  table.waves = records.skip(3 * table.count, Element::int32);
  for (int i = 0; i < components; ++i) table.components.push_back(records.skip(2 * table.count, Element::float64));
  require_complete(file, table.components.back());
  return table;
}

ChargeDensityTable charge_density_in_hdf5(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  ChargeDensityTable table;
  table.half_sphere = is_true(file.text("gamma_only"));
  table.count = file.integer("ngm_g");
  table.waves = file.extent("MillerIndices");
  std::vector<double> b;
  for (const char* name : {"bg1", "bg2", "bg3"}) {
    const auto row = file.reals("MillerIndices", name);
    b.insert(b.end(), row.begin(), row.end());
  }
  require(b.size() == 9 && table.waves.count == 3 * table.count, Fault::bad_file,
          "{}: MillerIndices does not match ngm_g = {}: check that it is a charge-density file", path, table.count);
  table.reciprocal = rows(b);
  for (const char* name : {"rhotot_g", "rhodiff_g", "m_x", "m_y", "m_z"}) {
    if (!file.has(name)) continue;
    const Extent component = file.extent(name);
    require(component.count == 2 * table.count, Fault::bad_file,
            "{}: {} does not match ngm_g = {}: rerun the code that wrote the file", path, name, table.count);
    require_complete(File(path), component);
    table.components.push_back(component);
  }
  require(!table.components.empty(), Fault::bad_file,
          "{}: dataset rhotot_g is missing: check that it is a charge-density file", path);
  return table;
}

}  // namespace

WaveBlock locate_wavefunctions(const std::string& path, const OrbitalHeader& header, const KPoint& kpoint) {
  const Expected expected{header, kpoint};
  return is_hdf5(path) ? locate_in_hdf5(path, expected) : locate_in_dat(path, expected);
}

WaveBlock locate_wfc(const std::string& path, const OrbitalHeader& header) {
  return locate_in_dat(path, {header, header.kpoints[0], "the header of the orbitals", true});
}

std::string dat_or_hdf5(const std::string& stem) {
  const bool dat = std::filesystem::exists(stem + ".dat"), hdf5 = std::filesystem::exists(stem + ".hdf5");
  require(!dat || !hdf5, Fault::bad_file,
          "{0}.dat and {0}.hdf5 are of different runs: remove the older one, and the like of other k-points", stem);
  return dat ? stem + ".dat" : hdf5 ? stem + ".hdf5" : "";
}

std::string find_charge_density(const std::string& path) {
  namespace fs = std::filesystem;
  const auto is_schema = [&] { return fs::path(path).filename() == "data-file-schema.xml"; };
  if (fs::is_directory(path) || is_schema()) {
    const fs::path folder = fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path();
    return dat_or_hdf5((folder / "charge-density").string());
  }
  if (Hdf5File::recognises(path)) return Hdf5File::open(path).has("rhotot_g") ? path : "";
  const File file(path);
  std::int32_t marker = 0;
  if (file.size() >= 4) file.read(0, std::as_writable_bytes(std::span(&marker, 1)));
  return marker == 12 ? path : "";
}

ChargeDensityTable locate_charge_density(const std::string& path) {
  return Hdf5File::recognises(path) ? charge_density_in_hdf5(path) : charge_density_in_dat(path);
}

}  // namespace seiche
