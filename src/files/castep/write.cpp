// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes .check files of CASTEP, with the records that its readers require.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "comm/agree.hpp"
#include "containers/archive.hpp"
#include "containers/fortran_writer.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/bands/wave_order.hpp"
#include "files/castep/castep.hpp"
#include "files/density_file/grid_density.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

constexpr double version = 20.11;                                                  // version of CASTEP with this layout
constexpr std::size_t parameter_length = 30, cell_length = 256, tail_length = 10;  // of records with a tag

std::int32_t as_int(std::size_t n) { return static_cast<std::int32_t>(n); }

/// Writes the values of the cell, each after its tag.
class CellWriter {
 public:
  explicit CellWriter(FortranWriter& out) : out_(out) {}
  void section(const char* name) { out_.write_text(name, cell_length); }
  template <class... Values>
  void value(const char* tag, const Values&... values) {
    out_.write_text(tag, cell_length);
    out_.write(values...);
  }
  void value(const char* tag, const FortranRecord& content) {
    out_.write_text(tag, cell_length);
    out_.write(content);
  }
  template <class Value>
  void list(const char* tag, const std::vector<Value>& values) {
    value(tag, out_.record().add(values));
  }

 private:
  FortranWriter& out_;
};

void write_parameters(FortranWriter& out, const OrbitalHeader& h) {
  out.write_text("BEGIN_PARAMETERS_DUMP", parameter_length);
  out.write_text("20.110", 10);
  out.write_text("BEGIN_BASIS", parameter_length);
  out.write_text("NULL", 10);
  out.write(h.cutoff);
  out.write(2.0);  // the grid of the waves holds twice their radius, like the fine grid
  out.write(2 * std::sqrt(2 * h.cutoff));
  out.write_text("END_BASIS", parameter_length);
  out.write_text("BEGIN_ELECTRONIC", parameter_length);
  const auto electrons = static_cast<std::int32_t>(std::lround(h.electrons));
  out.write(electrons);
  out.write((electrons + 1) / 2);
  out.write(electrons / 2);
  out.write(0);
  out.write(h.bands);
  out.write(0.0);
  out.write(0);
  out.write(0);
  out.write(h.magnetism == Magnetism::none && h.spinor == 1 ? 0 : 1);  // spin-polarised?
  out.write_text("CG", 10);
  out.write(h.electrons);
  out.write(h.electrons / 2);
  out.write(h.electrons / 2);
  out.write(0.0);
  out.write(0.0);
  out.write_text(h.spins == 2 ? "SCALAR" : h.spinor == 2 ? "VECTOR" : "NONE", 20);
  out.write_text("END_ELECTRONIC", parameter_length);
  out.write_text("END_PARAMETERS_DUMP", parameter_length);
}

/// Returns the atoms by element, in order of appearance of the elements.
std::vector<std::vector<Vector3>> positions_by_species(const Crystal& crystal, std::vector<std::string>& symbols) {
  std::vector<std::vector<Vector3>> positions;
  for (const Atom& atom : crystal.atoms) {
    auto found = std::find(symbols.begin(), symbols.end(), atom.symbol);
    if (found == symbols.end()) {
      found = symbols.insert(found, atom.symbol);
      positions.emplace_back();
    }
    positions[static_cast<std::size_t>(found - symbols.begin())].push_back(fractional(crystal, atom.position));
  }
  return positions;
}

bool in_order_by_element(const Crystal& crystal) {
  std::vector<std::string> seen;
  for (const Atom& atom : crystal.atoms) {
    if (!seen.empty() && seen.back() == atom.symbol) continue;
    if (std::find(seen.begin(), seen.end(), atom.symbol) != seen.end()) return false;
    seen.push_back(atom.symbol);
  }
  return true;
}

void write_unit_cell(FortranWriter& out, const Crystal& crystal) {
  CellWriter cell(out);
  std::vector<std::string> symbols;
  auto positions = positions_by_species(crystal, symbols);
  std::vector<std::int32_t> counts;
  for (const auto& list : positions) counts.push_back(as_int(list.size()));
  const std::int32_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  const auto transposed = [](const std::array<Vector3, 3>& rows) {
    std::array<Vector3, 3> columns{};
    for (std::size_t i = 0; i < 9; ++i) columns[i / 3][i % 3] = rows[i % 3][i / 3];
    return columns;
  };
  auto places = out.record(), names = out.record(), potentials = out.record();
  for (std::size_t s = 0; s < symbols.size(); ++s) {
    positions[s].resize(static_cast<std::size_t>(most));
    places.add(positions[s]);
    names.add_text(symbols[s], 8);
    potentials.add_text("", 256);
  }
  cell.section("BEGIN_UNIT_CELL");
  cell.value("CELL%REAL_LATTICE", transposed(crystal.lattice));
  cell.value("CELL%RECIP_LATTICE", transposed(crystal.reciprocal()));
  cell.value("CELL%VOLUME", crystal.volume());
  cell.value("CELL%NUM_SPECIES", as_int(symbols.size()));
  cell.value("CELL%NUM_IONS", as_int(crystal.atoms.size()));
  cell.value("CELL%MAX_IONS_IN_SPECIES", most);
  cell.value("CELL_VERSION_NUMBER", version);
  cell.list("CELL%NUM_IONS_IN_SPECIES", counts);
  cell.value("CELL%IONIC_POSITIONS", places);
  cell.value("CELL%SPECIES_SYMBOL", names);
  cell.value("CELL%SPECIES_POT", potentials);
  cell.section("END_UNIT_CELL");
}

bool expressible(const SymmetryOperation& operation) { return !operation.time_reversal; }

void write_symmetry(FortranWriter& out, CellWriter& cell, const OrbitalHeader& h) {
  const Crystal& crystal = h.crystal;
  const auto b = crystal.reciprocal();
  auto rotations = out.record(), shifts = out.record();
  std::int32_t count = 0;
  for (const SymmetryOperation& s : written_operations(h)) {
    if (!expressible(s)) continue;
    ++count;
    shifts.add(s.translation);
    for (std::size_t j = 0; j < 3; ++j) {  // A R A^-1, column by column
      for (std::size_t i = 0; i < 3; ++i) {
        double x = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          for (std::size_t l = 0; l < 3; ++l) x += crystal.lattice[k][i] * s.rotation[k][l] * b[l][j];
        }
        rotations.add(x / (2 * std::numbers::pi));
      }
    }
  }
  cell.value("NUM_SYMMETRY_OPERATIONS", count);
  cell.value("SYMMETRY_OPERATIONS", rotations);
  cell.value("SYMMETRY_DISPS", shifts);
}

void write_global(FortranWriter& out, const OrbitalHeader& h) {
  CellWriter cell(out);
  std::vector<Vector3> points;
  std::vector<double> weights;
  for (const KPoint& k : h.kpoints) {
    points.push_back(k.k);
    weights.push_back(k.weight);
  }
  cell.section("BEGIN_CELL_GLOBAL");
  cell.value("NKPTS", as_int(points.size()));
  cell.list("KPOINTS", points);
  cell.list("KPOINT_WEIGHTS", weights);
  write_symmetry(out, cell, h);
  cell.value("KPOINT_MP_GRID", h.mesh);  // 0: the k-points are listed explicitly
  Vector3 offset{};
  for (std::size_t i = 0; i < 3; ++i) offset[i] = castep_offset(h.mesh[i], h.mesh_shift[i]);
  cell.value("KPOINT_MP_OFFSET", offset);
  cell.value("SYMMETRY_TOL", 0.0018897261258369292);
  cell.section("END_CELL_GLOBAL");
}

void leave_waves(FortranWriter& out, WaveTable& table) {
  const OrbitalHeader& h = table.header;
  std::int64_t most = 0;
  for (const KPoint& k : h.kpoints) most = std::max(most, k.plane_waves);
  const auto kpoints = as_int(h.kpoints.size());
  out.write_text(h.half_sphere ? "Gpt" : "wave", 4);
  out.write(static_cast<std::int32_t>(h.grid.nx), static_cast<std::int32_t>(h.grid.ny),
            static_cast<std::int32_t>(h.grid.nz));
  out.write(static_cast<std::int32_t>(most), h.spinor, h.bands, kpoints, h.spins);
  for (int spin = 0; spin < h.spins; ++spin) {
    for (const KPoint& k : h.kpoints) {
      out.write(k.k, static_cast<std::int32_t>(k.plane_waves));
      WaveBlock& block = table.blocks.emplace_back();
      for (int axis = 0; axis < 3; ++axis) block.waves.push_back(out.leave_room(k.plane_waves, Element::int32));
      block.first_band =
          out.leave_room(2 * k.plane_waves, Element::float64, h.bands * h.spinor, block.component_stride);
      block.band_stride = h.spinor * block.component_stride;
    }
  }
}

/// Leaves space for one record per line along z, which begins with the indices of x and y; values are written later.
void leave_density(FortranWriter& out, const OrbitalHeader& h) {
  // readers that do not check for a density find no points
  const GridShape grid = h.density_components > 0 ? h.grid : GridShape{0, 0, 0};
  out.write(h.density_components > 0 ? 1 : 0);
  out.write(static_cast<std::int32_t>(grid.nx), static_cast<std::int32_t>(grid.ny), static_cast<std::int32_t>(grid.nz));
  const std::vector<double> line(static_cast<std::size_t>(2 * grid.nz * h.density_components));
  for (std::int32_t x = 1; x <= grid.nx; ++x) {
    for (std::int32_t y = 1; y <= grid.ny; ++y) out.write(x, y, line);
  }
}

void add_density(const std::string& path, const Density& density) {
  GridDensityTable table;
  found_by_root(density.comm, table, [&] { table = find_grid_density(path).value(); });
  together(density.comm, [&] { write_grid_density(table, density); });
}

void write_levels(FortranWriter& out, const OrbitalHeader& h) {
  for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
    out.write(h.kpoints[k].k);
    for (int spin = 0; spin < h.spins; ++spin) {
      for (const auto* values : {&h.occupations, &h.energies}) {
        const auto begin = values->begin() + static_cast<std::ptrdiff_t>(h.state(spin, static_cast<int>(k), 0));
        out.write(out.record().add(std::vector<double>(begin, begin + h.bands)));
      }
    }
  }
}

bool named_castep(const std::string& path) { return path.size() > 6 && path.ends_with(".check"); }

std::vector<std::string> losses_in_castep(const OrbitalHeader& h) {
  require(h.density_components == 0 || h.spinor == 1, Fault::bad_argument,
          "the order of spinor densities in CASTEP files is not supported: leave out the density");
  std::vector<std::string> losses{"names of pseudopotentials, functional and forces of the source"};
  if (!h.total_energy) losses.emplace_back("the total energy: unknown, written as 0");
  if (!h.fermi_energy) losses.emplace_back("the Fermi energy: unknown, written as 0");
  if (h.mesh[0] == 0) losses.emplace_back("the mesh of the k-points: unknown");
  if (!in_order_by_element(h.crystal)) losses.emplace_back("the order of atoms: they are sorted by element");
  if (!is_completed_by(h, h.density_components == 0 ? complete_grid : limit_density_cutoff)) {
    losses.emplace_back(
        "grid and cutoff of the density: the cutoff is assumed to be four times the cutoff of the waves, or the limit "
        "of the grid of a density");
  }
  if (h.density_components == 0) losses.emplace_back("the density, which can be included");
  const auto operations = written_operations(h);
  if (operations.size() < h.crystal.operations.size()) losses.emplace_back(not_averaged);
  if (h.crystal.operations.empty()) losses.emplace_back(unknown_operations);
  if (!std::all_of(operations.begin(), operations.end(), expressible)) {
    losses.push_back("symmetry operations with time reversal");
  }
  if (h.spinor == 2 && h.magnetism == Magnetism::none) {
    losses.push_back("that the spinors have no magnetisation");
  }
  if (!h.weighted) losses.emplace_back(unknown_weights);
  return losses;
}

std::vector<Miller> castep_waves(const OrbitalHeader&, int, std::span<const Miller> given) { return x_fastest(given); }

WaveTable create_castep(const std::string& path, const OrbitalHeader& header) {
  FortranWriter out(path, true);
  WaveTable table;
  table.header = header;
  write_parameters(out, header);
  for (int time = 0; time < 2; ++time) {  // the original and the current cell
    write_unit_cell(out, header.crystal);
    write_global(out, header);
  }
  out.write(1);  // the file has waves
  out.write(header.density_components > 0 ? 1 : 0);
  out.write(header.total_energy.value_or(0));
  out.write(header.fermi_energy.value_or(0));
  out.write(header.bands, header.spins);
  leave_waves(out, table);
  write_levels(out, header);
  leave_density(out, header);
  out.write_text("FORCES", tail_length);
  std::vector<std::string> symbols;
  std::size_t most = 0;
  for (const auto& list : positions_by_species(header.crystal, symbols)) most = std::max(most, list.size());
  out.write(out.record().add(std::vector<double>(3 * most * symbols.size())));
  out.write_text("END", tail_length);
  out.close();
  return table;
}

}  // namespace

WaveWriting writing_castep() {
  return {.word = "castep",
          .named = named_castep,
          .losses = losses_in_castep,
          .waves = castep_waves,
          .create = create_castep,
          .add_density = add_density};
}

}  // namespace seiche
