// SPDX-License-Identifier: BSD-3-Clause
/// \file  The XML part of a Quantum ESPRESSO .save: everything but the coefficients.
#include "files/quantum_espresso/quantum_espresso.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "containers/xml.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr const char* schema = "data-file-schema.xml";

/// Returns the XML in a folder, or the given file. Of PREFIX.xml beside the folder PREFIX.save, which contains the same
/// data, returns the one in the folder.
std::string schema_path(const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::is_directory(path)) return (fs::path(path) / schema).string();
  const fs::path beside = fs::path(path).replace_extension(".save") / schema;
  const bool copy = fs::path(path).extension() == ".xml" && fs::path(path).filename() != schema;
  return copy && fs::is_regular_file(beside) ? beside.string() : path;
}

Vector3 vector_of(const XmlElement& element) {
  const auto v = element.numbers(3);
  return {v[0], v[1], v[2]};
}

Crystal read_structure(const XmlElement& output) {
  Crystal crystal;
  const XmlElement structure = output.at("atomic_structure");
  crystal.lattice = {vector_of(structure.at("cell/a1")), vector_of(structure.at("cell/a2")),
                     vector_of(structure.at("cell/a3"))};
  require(crystal.volume() > 0, Fault::bad_file, "{} has no volume: rerun the code that wrote the file",
          structure.at("cell").place());
  for (const XmlElement& atom : structure.at("atomic_positions").all("atom")) {
    crystal.atoms.push_back({element_of(atom.attribute("name", "?")), vector_of(atom)});
  }
  return crystal;
}

/// Reads the operations of the crystal, which precede the operations of its lattice. Quantum ESPRESSO's x' = R x - f is
/// {R|-f} here; the rows of numbers in the file are the rows of R.
std::vector<SymmetryOperation> read_operations(const XmlElement& output) {
  std::vector<SymmetryOperation> operations;
  const XmlElement symmetries = output.at("symmetries");
  for (const XmlElement& symmetry : symmetries.all("symmetry")) {
    const XmlElement info = symmetry.at("info");
    if (info.text() != "crystal_symmetry") continue;
    SymmetryOperation& operation = operations.emplace_back();
    operation.time_reversal = info.attribute("time_reversal", "false") == "true";
    const XmlElement matrix = symmetry.at("rotation");
    const auto rotation = matrix.numbers(9);
    require(std::all_of(rotation.begin(), rotation.end(), [](double r) { return std::abs(r) < 1e3; }), Fault::bad_file,
            "{} is not a rotation of a lattice: rerun the code that wrote the file", matrix.place());
    const auto shift = vector_of(symmetry.at("fractional_translation"));
    for (std::size_t i = 0; i < 3; ++i) {
      operation.translation[i] = shift[i] == 0 ? 0 : -shift[i];
      for (std::size_t j = 0; j < 3; ++j) operation.rotation[i][j] = static_cast<int>(std::lround(rotation[3 * i + j]));
    }
  }
  const int listed = symmetries.at("nsym").integer();
  require(static_cast<int>(operations.size()) == listed && listed > 0, Fault::bad_file,
          "{} lists {} crystal symmetries, but nsym is {}: rerun the code that wrote the file", symmetries.place(),
          operations.size(), listed);
  return operations;
}

void read_basis(const XmlElement& output, OrbitalHeader& header) {
  const XmlElement basis = output.at("basis_set");
  const XmlElement grid = basis.at("fft_grid");
  const auto points = [&](const char* name) { return std::int64_t{grid.integer_attribute(name)}; };
  header.grid = {points("nr1"), points("nr2"), points("nr3")};
  require(header.grid.nx > 0 && header.grid.ny > 0 && header.grid.nz > 0, Fault::bad_file,
          "{} has no points: rerun the code that wrote the file", grid.place());
  header.cutoff = basis.at("ecutwfc").number();
  header.density_cutoff = basis.at("ecutrho").number();
  header.density_waves = basis.at("ngm").integer();
  header.half_sphere = basis.at("gamma_only").flag();
  header.averaged = !header.half_sphere;
}

void read_spin(const XmlElement& output, OrbitalHeader& header) {
  const XmlElement bands = output.at("band_structure");
  const bool polarised = bands.at("lsda").flag(), spinors = bands.at("noncolin").flag();
  header.spins = polarised ? 2 : 1;
  header.spinor = spinors ? 2 : 1;
  if (polarised) header.magnetism = Magnetism::collinear;
  const XmlElement magnetization = output.at("magnetization");
  const bool moments = !magnetization.has("do_magnetization") || magnetization.at("do_magnetization").flag();
  if (spinors && moments) header.magnetism = Magnetism::vector;
  const auto soft = [&](const char* name) {
    const std::string path = std::string("algorithmic_info/") + name;
    return output.has(path) && output.at(path).flag();
  };
  header.norm_conserving = soft("uspp") || soft("paw") ? NormConserving::no : NormConserving::yes;
}

int read_band_count(const XmlElement& bands, int spins) {
  if (spins == 1) return bands.at("nbnd").integer();
  if (!bands.has("nbnd_up")) return bands.at("nbnd").integer() / 2;
  const int up = bands.at("nbnd_up").integer(), down = bands.at("nbnd_dw").integer();
  require(up == down, Fault::unsupported, "{}: {} bands of spin up but {} of spin down: rerun pw.x with equal numbers",
          bands.place(), up, down);
  return up;
}

/// Reads k-points, weights, energies and occupations. In the file the k-points are cartesian, in units of 2 pi / alat;
/// one list of energies has the bands of spin up, then of spin down. `size` is the size of the file in bytes, which
/// limits the counts.
void read_bands(const XmlElement& output, std::int64_t size, OrbitalHeader& header) {
  const XmlElement bands = output.at("band_structure");
  header.bands = read_band_count(bands, header.spins);
  require(header.bands > 0, Fault::bad_file, "{} has 0 bands: rerun the code with bands (nbnd)", bands.place());
  header.electrons = bands.at("nelec").number();
  const auto points = bands.all("ks_energies");
  require(static_cast<int>(points.size()) == bands.at("nks").integer() && !points.empty(), Fault::bad_file,
          "{} lists {} k-points, but nks is {}: rerun the code that wrote the file", bands.place(), points.size(),
          bands.at("nks").integer());
  const double alat = output.at("atomic_structure").number_attribute("alat");
  const std::size_t per_spin = static_cast<std::size_t>(header.bands);
  require_count(bands.place(), "energies", std::int64_t{header.bands} * header.spins * std::ssize(points), size);
  header.occupations.resize(static_cast<std::size_t>(header.spins) * points.size() * per_spin);
  header.energies.resize(header.occupations.size());
  for (const XmlElement& point : points) {
    const int index = static_cast<int>(header.kpoints.size());
    KPoint& k = header.kpoints.emplace_back();
    const Vector3 cartesian = vector_of(point.at("k_point"));
    for (std::size_t i = 0; i < 3; ++i) k.k[i] = dot(header.crystal.lattice[i], cartesian) / alat;
    k.weight = point.at("k_point").number_attribute("weight");
    k.plane_waves = point.at("npw").integer();
    const auto energies = point.at("eigenvalues").numbers(static_cast<std::size_t>(header.spins) * per_spin);
    const auto occupations = point.at("occupations").numbers(static_cast<std::size_t>(header.spins) * per_spin);
    // state() depends on the number of k-points, so that the index is computed with the final number.
    for (std::size_t i = 0; i < energies.size(); ++i) {
      const std::size_t spin = i / per_spin, band = i % per_spin;
      const std::size_t state = (spin * points.size() + static_cast<std::size_t>(index)) * per_spin + band;
      header.energies[state] = energies[i];
      header.occupations[state] = occupations[i];
    }
  }
}

/// Reads optional data of the run.
void read_extras(const XmlElement& output, OrbitalHeader& header) {
  const auto number = [&](const char* path) {
    return output.has(path) ? std::optional(output.at(path).number()) : std::nullopt;
  };
  header.total_energy = number("total_energy/etot");
  header.fermi_energy = number("band_structure/fermi_energy");
  if (output.has("band_structure/two_fermi_energies")) {
    const auto both = output.at("band_structure/two_fermi_energies").numbers(2);
    header.fermi_energy = both[0];
    header.fermi_energy_down = both[1];
  }
  constexpr const char* mesh = "band_structure/starting_k_points/monkhorst_pack";
  if (!output.has(mesh)) return;
  const XmlElement pack = output.at(mesh);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis = std::to_string(i + 1);
    header.mesh[i] = pack.integer_attribute("nk" + axis);
    header.mesh_shift[i] = pack.integer_attribute("k" + axis) / 2.0;
  }
}

/// Reads data that Seiche stores in the element of the creator, which other programs ignore.
void read_own(const XmlElement& document, OrbitalHeader& header) {
  constexpr const char* creator = "general_info/creator";
  if (!document.has(creator)) return;
  const auto says = [&](const char* name, const char* word) {
    return document.at(creator).attribute(name, "") == word;
  };
  if (says("averaged", "true") || says("averaged", "false")) header.averaged = says("averaged", "true");
  if (says("weighted", "false")) header.weighted = false;
  if (says("symmetry", "unknown")) header.crystal.operations.clear();
  if (says("total_energy", "unknown")) header.total_energy.reset();
  if (says("fermi_energy", "unknown")) header.fermi_energy.reset();
  if (says("kpoints", "path")) header.on_path = true;
  if (says("norm_conserving", "unknown")) header.norm_conserving = NormConserving::unknown;
}

std::string wavefunction_path(const std::filesystem::path& directory, const OrbitalHeader& header, int spin, int k) {
  const char* kind = header.spins == 1 ? "wfc" : spin == 0 ? "wfcup" : "wfcdw";
  const std::string stem = (directory / (kind + std::to_string(k + 1))).string();
  const std::string path = dat_or_hdf5(stem);
  require(!path.empty(), Fault::bad_file,
          "cannot find {}.dat or .hdf5: rerun the code with wavefunctions collected (disk_io other than 'none')", stem);
  return path;
}

}  // namespace

bool recognises_quantum_espresso(const std::string& path) {
  const std::string xml = schema_path(path);
  if (!std::filesystem::is_regular_file(xml)) return false;
  if (std::filesystem::is_directory(path)) return true;
  const File file(xml);
  std::string head(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 400)), ' ');
  file.read(0, std::as_writable_bytes(std::span(head)));
  return head.find("<qes:espresso") != std::string::npos;
}

OrbitalHeader read_quantum_espresso_schema(const std::string& xml) {
  pugi::xml_document document;
  const auto parsed = document.load_file(xml.c_str());
  require(static_cast<bool>(parsed), Fault::bad_file, "{}: {} at byte {}; the file may be truncated: copy it again",
          xml, parsed.description(), parsed.offset);
  const XmlElement whole = XmlElement(document, xml + ":").at("qes:espresso"), output = whole.at("output");
  OrbitalHeader header;
  header.path = xml;
  header.crystal = read_structure(output);
  header.crystal.operations = read_operations(output);
  read_basis(output, header);
  read_spin(output, header);
  read_bands(output, File(xml).size(), header);
  read_extras(output, header);
  constexpr const char* calculation = "input/control_variables/calculation";
  header.on_path = whole.has(calculation) && whole.at(calculation).text() == "bands";
  read_own(whole, header);
  normalise_weights(header);  // the file contains them with 13 digits, and with a sum of 1 or 2
  require_sound_crystal(header);
  return header;
}

WaveTable read_quantum_espresso(const std::string& path) {
  const std::string xml = schema_path(path);
  WaveTable table;
  OrbitalHeader& header = table.header;
  header = read_quantum_espresso_schema(xml);
  const auto directory = std::filesystem::path(xml).parent_path();
  const bool beside = !std::filesystem::is_directory(path) && xml != path;  // the folder has the same data
  header.path = beside ? directory.string() : path;
  for (int spin = 0; spin < header.spins; ++spin) {
    for (std::size_t k = 0; k < header.kpoints.size(); ++k) {
      const std::string file = wavefunction_path(directory, header, spin, static_cast<int>(k));
      table.blocks.push_back(locate_wavefunctions(file, header, header.kpoints[k]));
    }
  }
  const bool dat = std::filesystem::path(table.blocks[0].waves[0].path).extension() == ".dat";
  header.format = dat ? "Quantum ESPRESSO .save (dat)" : "Quantum ESPRESSO .save (HDF5)";
  if (!find_charge_density(header.path).empty()) header.density_components = components_of(header.magnetism);
  return table;
}

}  // namespace seiche
