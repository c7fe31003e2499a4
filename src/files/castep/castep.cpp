// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads .check files of CASTEP: big-endian Fortran records with parameters, the cell (twice: original and
/// current), then waves, occupations and the density. Hartree and bohr.
#include "files/castep/castep.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using Record = FortranRecords::Record;

constexpr std::int64_t parameter_tag = 30, cell_tag = 256;  // lengths of the records with names of sections and values
constexpr std::int64_t binary_tag = 10;                     // of the first record of a .castep_bin

/// The values of the cell by tag; of duplicate tags the last value.
class Cell {
 public:
  explicit Cell(std::string path) : path_(std::move(path)) {}
  void add(const std::string& tag, Record value) { values_.insert_or_assign(tag, std::move(value)); }
  bool has(const std::string& tag) const { return values_.count(tag) > 0; }
  Record at(const std::string& tag) const {
    const auto found = values_.find(tag);
    require(found != values_.end(), Fault::bad_file, "{}: {} is missing: check that it is a .check of CASTEP", path_,
            tag);
    return found->second;
  }
  std::int64_t count(const std::string& tag) const {
    const std::int64_t n = at(tag).take<std::int32_t>();
    require(n >= 0, Fault::bad_file, "{}: invalid value of {} ({}): rerun the code that wrote the file", path_, tag, n);
    return n;
  }
  std::vector<double> reals(const std::string& tag, std::int64_t n) const { return at(tag).take<double>(n); }

 private:
  std::string path_;
  std::map<std::string, Record> values_;
};

/// Values of the parameters; electrons is 0 if unknown.
struct Parameters {
  double cutoff = 0, electrons = 0;
};

/// Reads the number of electrons. The values of this section have no names, and their order depends on the version of
/// CASTEP: only the layout of 20.11 is supported.
double read_electrons(FortranRecords& records) {
  const std::int64_t begin = records.position();
  double electrons = 0;
  for (const std::int64_t bytes : {4, 4, 4, 4, 4, 8, 4, 4, 4, 10, 8}) {
    Record record = records.next();
    if (record.size() != bytes) {
      electrons = 0;
      break;
    }
    if (bytes == 8) electrons = record.take<double>();
  }
  records.seek(begin);
  return std::isfinite(electrons) ? electrons : 0;
}

Parameters read_parameters(FortranRecords& records) {
  Parameters parameters;
  while (true) {
    Record record = records.next();
    if (record.size() != parameter_tag) continue;
    const std::string tag = record.take_text(parameter_tag);
    if (tag == "END_PARAMETERS_DUMP") return parameters;
    if (tag == "BEGIN_ELECTRONIC") parameters.electrons = read_electrons(records);
    if (tag != "BEGIN_BASIS") continue;
    records.next();  // the finite basis correction
    parameters.cutoff = records.next(8).take<double>();
  }
}

/// Reads all dumps of the cell. Each tag has one value, except the tags that begin and end sections.
Cell read_cells(FortranRecords& records, const std::string& path) {
  Cell cell(path);
  while (true) {
    const std::int64_t before = records.position();
    Record record = records.next();
    const std::string tag = record.size() == cell_tag ? record.take_text(cell_tag) : "";
    if (tag == "BEGIN_UNIT_CELL" || tag == "END_UNIT_CELL" || tag == "BEGIN_CELL_GLOBAL" || tag == "END_CELL_GLOBAL") {
      continue;
    }
    if (tag.empty()) {  // the part after the last dump
      records.seek(before);
      return cell;
    }
    cell.add(tag, records.next());
  }
}

void read_structure(const Cell& cell, OrbitalHeader& header) {
  Crystal& crystal = header.crystal;
  const auto lattice = cell.reals("CELL%REAL_LATTICE", 9);
  for (std::size_t i = 0; i < 9; ++i) crystal.lattice[i % 3][i / 3] = lattice[i];  // Fortran (3,3) with vectors as rows
  require_sound_crystal(header);
  const std::int64_t species = cell.count("CELL%NUM_SPECIES"), most = cell.count("CELL%MAX_IONS_IN_SPECIES");
  const auto ions = cell.at("CELL%NUM_IONS_IN_SPECIES").take<std::int32_t>(species);
  require_count(header.path, "ions of a species", most, cell.at("CELL%IONIC_POSITIONS").size());
  const auto positions = cell.reals("CELL%IONIC_POSITIONS", 3 * most * species);
  Record symbols = cell.at("CELL%SPECIES_SYMBOL");
  const std::int64_t width = species > 0 ? symbols.size() / species : 0;
  for (std::size_t s = 0; s < ions.size(); ++s) {
    const std::string symbol = element_of(symbols.take_text(width));
    require(ions[s] >= 0 && ions[s] <= most, Fault::bad_file,
            "{}: species {} has {} ions, but at most {} are declared: rerun the code that wrote the file", header.path,
            s + 1, ions[s], most);
    for (std::size_t i = 0; i < static_cast<std::size_t>(ions[s]); ++i) {
      const double* x = positions.data() + 3 * (s * static_cast<std::size_t>(most) + i);
      crystal.atoms.push_back({symbol, cartesian(crystal, {x[0], x[1], x[2]})});
    }
  }
}

/// Reads the operations. Rotations are cartesian, Fortran (3,3); displacements are in units of the lattice vectors.
void read_operations(const Cell& cell, OrbitalHeader& header) {
  Crystal& crystal = header.crystal;
  const auto b = crystal.reciprocal();
  const std::int64_t count = cell.has("NUM_SYMMETRY_OPERATIONS") ? cell.count("NUM_SYMMETRY_OPERATIONS") : 0;
  if (count == 0) {
    crystal.operations = {identity_operation()};
    return;
  }
  const auto rotations = cell.reals("SYMMETRY_OPERATIONS", 9 * count), shifts = cell.reals("SYMMETRY_DISPS", 3 * count);
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) {
    SymmetryOperation& operation = crystal.operations.emplace_back();
    for (std::size_t j = 0; j < 3; ++j) {
      Vector3 image{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t m = 0; m < 3; ++m) image[i] += rotations[9 * s + 3 * m + i] * crystal.lattice[j][m];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = dot(b[i], image) / (2 * std::numbers::pi);
        require(std::abs(x - std::round(x)) < 1e-6 && std::abs(x) < 100, Fault::bad_file,
                "{}: symmetry operation {} does not match the cell: rerun the code that wrote the file", header.path,
                s + 1);
        operation.rotation[i][j] = static_cast<int>(std::lround(x));
      }
      operation.translation[j] = shifts[3 * s + j];
    }
  }
}

void read_mesh(const Cell& cell, OrbitalHeader& header) {
  if (!cell.has("KPOINT_MP_GRID") || !cell.has("KPOINT_MP_OFFSET")) return;
  const auto points = cell.at("KPOINT_MP_GRID").take<std::int32_t>(3);
  const auto offset = cell.reals("KPOINT_MP_OFFSET", 3);
  if (!std::all_of(points.begin(), points.end(), [](int n) { return n > 0; })) return;
  for (std::size_t i = 0; i < 3; ++i) {
    header.mesh[i] = points[i];
    header.mesh_shift[i] = shift_of_castep(points[i], offset[i]);
  }
}

void read_kpoints(const Cell& cell, OrbitalHeader& header) {
  const std::int64_t kpoints = cell.count("NKPTS");
  const auto points = cell.reals("KPOINTS", 3 * kpoints), weights = cell.reals("KPOINT_WEIGHTS", kpoints);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    header.kpoints.push_back({{points[3 * k], points[3 * k + 1], points[3 * k + 2]}, weights[k], 0});
  }
  require_sound_crystal(header);
  normalise_weights(header);
  read_mesh(cell, header);
}

/// Takes the grid of the density, if the file has one.
void take_density(const CastepDensity& density, OrbitalHeader& header) {
  if (density.first_record == 0) {
    complete_grid(header);
    return;
  }
  header.grid = density.grid;
  header.density_components = density.components;
  limit_density_cutoff(header);
}

/// Files contain 0 for an unknown energy.
std::optional<double> known_energy(Record record) {
  const double energy = record.take<double>();
  return energy != 0 && std::isfinite(energy) ? std::optional(energy) : std::nullopt;
}

/// Finds a k-point, since k-points may have another order than in the cell.
std::size_t find_kpoint(const std::vector<KPoint>& kpoints, std::size_t expected, const Vector3& k,
                        const std::string& path) {
  const auto same = [&](const KPoint& point) {
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i) off = std::max(off, std::abs(point.k[i] - k[i]));
    return off < 1e-8;
  };
  if (expected < kpoints.size() && same(kpoints[expected])) return expected;
  const auto found = std::find_if(kpoints.begin(), kpoints.end(), same);
  require(found != kpoints.end(), Fault::bad_file,
          "{}: k-point ({}, {}, {}) is not listed in the cell: rerun the code that wrote the file", path, k[0], k[1],
          k[2]);
  return static_cast<std::size_t>(found - kpoints.begin());
}

/// Reads the counts at the start of the waves: largest number of plane waves, (spinor components,) bands, k-points,
/// spins.
void read_counts(FortranRecords& records, OrbitalHeader& header) {
  Record record = records.next();
  require(record.size() == 16 || record.size() == 20, Fault::bad_file,
          "{}: the record before the waves has {} bytes: check that it is a .check of CASTEP", header.path,
          record.size());
  record.take<std::int32_t>();
  header.spinor = record.size() == 20 ? record.take<std::int32_t>() : 1;
  header.bands = record.take<std::int32_t>();
  const auto kpoints = record.take<std::int32_t>();
  header.spins = record.take<std::int32_t>();
  const bool counts = header.bands > 0 && kpoints > 0 && (header.spins == 1 || header.spins == 2) &&
                      (header.spinor == 1 || header.spinor == 2) && header.spins * header.spinor < 4;
  require(counts, Fault::bad_file,
          "{}: invalid numbers of bands ({}), k-points ({}), spins ({}) or spinor components ({}): rerun the code that "
          "wrote the file",
          header.path, header.bands, kpoints, header.spins, header.spinor);
  require(static_cast<std::size_t>(kpoints) == header.kpoints.size(), Fault::bad_file,
          "{}: {} k-points have waves, but the cell lists {}: rerun the code that wrote the file", header.path, kpoints,
          header.kpoints.size());
  header.magnetism = header.spins == 2    ? Magnetism::collinear
                     : header.spinor == 2 ? Magnetism::vector
                                          : Magnetism::none;
}

void locate_waves(const File& file, FortranRecords& records, WaveTable& table) {
  OrbitalHeader& h = table.header;
  const std::vector<KPoint> listed = h.kpoints;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (std::size_t k = 0; k < listed.size(); ++k) {
      Record head = records.next(28);
      const auto where = head.take<Vector3>();
      const std::int64_t waves = head.take<std::int32_t>();
      require_count(h.path, "plane waves", waves, file.size());
      KPoint& point = h.kpoints[k];
      const KPoint found = {where, listed[find_kpoint(listed, k, where, h.path)].weight, waves};
      require(waves > 0 && (spin == 0 || (found.k == point.k && waves == point.plane_waves)), Fault::bad_file,
              "{}: invalid number of plane waves ({}) at k-point {} of spin {}: rerun the code that wrote the file",
              h.path, waves, k + 1, spin + 1);
      point = found;
      WaveBlock& block = table.blocks.emplace_back();
      for (int axis = 0; axis < 3; ++axis) block.waves.push_back(records.skip(waves, Element::int32));
      block.first_band = records.skip(2 * waves, Element::float64);
      block.component_stride = block.first_band.record_stride();
      block.band_stride = h.spinor * block.component_stride;
      records.seek(block.first_band.offset - 4 + h.bands * block.band_stride);
    }
  }
}

/// Reads energies and occupations: k-points are the outermost index here, but spins for waves.
void read_levels(FortranRecords& records, OrbitalHeader& h) {
  const std::size_t states = static_cast<std::size_t>(h.spins) * h.kpoints.size() * static_cast<std::size_t>(h.bands);
  h.energies.resize(states);
  h.occupations.resize(states);
  for (std::size_t listed = 0; listed < h.kpoints.size(); ++listed) {
    const auto where = records.next(24).take<Vector3>();
    const auto k = static_cast<int>(find_kpoint(h.kpoints, listed, where, h.path));
    for (int spin = 0; spin < h.spins; ++spin) {
      for (auto* values : {&h.occupations, &h.energies}) {
        const auto levels = records.next(8 * static_cast<std::int64_t>(h.bands)).take<double>(h.bands);
        std::copy(levels.begin(), levels.end(), values->begin() + static_cast<std::ptrdiff_t>(h.state(spin, k, 0)));
      }
    }
  }
}

CastepDensity read_density_head(const File& file, FortranRecords& records, const OrbitalHeader& header) {
  CastepDensity density;
  if (records.at_end()) return density;
  Record found = records.next();
  if (found.size() != 4 || found.take<std::int32_t>() == 0) return density;
  const auto points = records.next(12).take<std::array<std::int32_t, 3>>();
  density.components = header.spins == 2 ? 2 : header.spinor == 2 ? 4 : 1;
  density.grid = {points[0], points[1], points[2]};
  density.first_record = records.position();
  const std::int64_t record = 16 + 16 * density.components * density.grid.nz;
  require(plausible(density.grid) && density.grid.nx * density.grid.ny <= (file.size() - density.first_record) / record,
          Fault::bad_file, "{}: truncated record: a density of {} x {} x {} points does not fit: copy the file again",
          header.path, points[0], points[1], points[2]);
  return density;
}

/// Returns the text of the first record of a file that may be one of CASTEP, else "".
std::string first_text(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return "";
  const File file(path);
  const FirstRecord first = first_record(file);
  if (first.bytes != parameter_tag && first.bytes != binary_tag) return "";
  return FortranRecords(file, first.big_endian).next().take_text(first.bytes);
}

/// Reads all that precedes the energies of a .check.
void read_waves(const File& file, FortranRecords& records, WaveTable& table) {
  OrbitalHeader& header = table.header;
  records.next();  // bands and spins
  const std::string kind = records.next(4).take_text(4);
  require(kind == "wave" || kind == "Gpt", Fault::bad_file,
          "{}: found '{}' instead of the wavefunctions: check that it is a .check of CASTEP", header.path, kind);
  header.half_sphere = kind == "Gpt";
  records.next(12);  // the grid of the waves
  read_counts(records, header);
  locate_waves(file, records, table);
  require_complete(table);
}

/// Reads the numbers of bands and spins of a .castep_bin, which has no waves.
void read_sizes(const File& file, FortranRecords& records, OrbitalHeader& header) {
  Record record = records.next(8);
  header.bands = record.take<std::int32_t>();
  header.spins = record.take<std::int32_t>();
  require(header.bands > 0 && (header.spins == 1 || header.spins == 2), Fault::bad_file,
          "{}: invalid numbers of bands ({}) or spins ({}): check that it is a .castep_bin of CASTEP", header.path,
          header.bands, header.spins);
  require_count(header.path, "energies", std::int64_t{header.bands} * header.spins * std::ssize(header.kpoints),
                file.size());
}

}  // namespace

bool recognises_castep(const std::string& path) { return first_text(path) == "BEGIN_PARAMETERS_DUMP"; }
bool recognises_castep_binary(const std::string& path) { return first_text(path) == "CASTEP_BIN"; }

CastepFile read_castep_file(const std::string& path) {
  const File file(path);
  const FirstRecord first = first_record(file);
  const bool binary = first.bytes == binary_tag;
  FortranRecords records(file, first.big_endian);
  if (binary) records.next();
  CastepFile result;
  WaveTable& table = result.table;
  OrbitalHeader& header = table.header;
  header.path = path;
  header.format = binary ? "CASTEP .castep_bin" : "CASTEP .check";
  const Parameters parameters = read_parameters(records);
  header.cutoff = parameters.cutoff;
  const Cell cell = read_cells(records, path);
  read_structure(cell, header);
  read_operations(cell, header);
  read_kpoints(cell, header);
  const bool waves = records.next(4).take<std::int32_t>() != 0;
  require(waves || binary, Fault::unsupported, "{} has no wavefunctions: rerun CASTEP with WRITE_CHECKPOINT : ALL",
          path);
  records.next();  // whether there is a density
  header.total_energy = known_energy(records.next(8));
  header.fermi_energy = known_energy(records.next(8));
  binary ? read_sizes(file, records, header) : read_waves(file, records, table);
  read_levels(records, header);
  result.density = read_density_head(file, records, header);
  result.density.big_endian = first.big_endian;
  take_density(result.density, header);
  header.electrons = parameters.electrons > 0 ? parameters.electrons : electrons_of(header);
  if (!binary) header.norm_conserving = norms_are_one(table) ? NormConserving::yes : NormConserving::no;
  return result;
}

WaveTable read_castep(const std::string& path) { return read_castep_file(path).table; }

}  // namespace seiche
