// SPDX-License-Identifier: BSD-3-Clause
#include "files/density_file/grid_density.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "containers/netcdf.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/abinit/abinit.hpp"
#include "files/castep/castep.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Reads one record for each line along z, which begins with the indices of x and y; complex values, electrons per
/// cell.
GridDensityTable castep_density(const std::string& path) {
  const CastepFile castep = read_castep_file(path);
  const CastepDensity& density = castep.density;
  const Crystal& crystal = castep.table.header.crystal;
  require(density.first_record > 0, Fault::bad_file, "{} has no density: rerun CASTEP with WRITE_CHECKPOINT : ALL",
          path);
  require(density.components < 4, Fault::unsupported,
          "{}: the order of spinor densities in CASTEP files is not supported: compare another file", path);
  const File file(path);
  GridDensityTable table;
  table.crystal = crystal;
  table.grid = density.grid;
  table.components = density.components;
  table.cutoff = castep.table.header.density_cutoff;
  table.half_sphere = castep.table.header.half_sphere;
  table.scale = 1 / crystal.volume();
  table.component_stride = 16 * table.grid.nz;
  const std::int64_t record = 16 + table.components * table.component_stride;
  table.stride = {table.grid.ny * record, record, 16};
  table.first = {path, density.first_record + 12, 1, Element::float64, density.big_endian, false};
  Extent indices{path, 0, 2, Element::int32, density.big_endian, false};
  for (std::int64_t line = 0; line < table.grid.nx * table.grid.ny; ++line) {
    indices.offset = density.first_record + 4 + line * record;
    std::array<std::int32_t, 2> found{};
    read_extent(file, indices, {0, 2}, found);
    require(found[0] == line / table.grid.ny + 1 && found[1] == line % table.grid.ny + 1, Fault::bad_file,
            "{}: line ({}, {}) of the density at byte {} is out of order: rerun the code that wrote the file", path,
            found[0], found[1], indices.offset);
  }
  return table;
}

Crystal crystal_of_density(const AbinitFacts& facts, const std::string& path) {
  require_volume(path, {facts.rprimd, {}, {}});
  return crystal_of(facts, path);
}

/// Returns four times the cutoff of the waves, limited by the grid; 0 if unknown.
double cutoff_of_density(double of_waves, const GridDensityTable& table) {
  if (!(of_waves > 0 && of_waves < 1e6) || !plausible(table.grid)) return 0;
  OrbitalHeader header;
  header.crystal.lattice = table.crystal.lattice;
  header.grid = table.grid;
  header.cutoff = of_waves;
  limit_density_cutoff(header);
  return header.density_cutoff;
}

/// Grid quantities of ABINIT: their variable in NetCDF, and their fform in Fortran files.
struct AbinitQuantity {
  const char* variable;
  std::int32_t form;
  bool density, of_spins;  ///< not of_spins: the same for both spins, so that only the first component is read
};
constexpr std::array<AbinitQuantity, 8> abinit_quantities{{{"density", 52, true, true},
                                                           {"potential", 102, false, true},
                                                           {"vtrial", 103, false, true},
                                                           {"vhartree", 104, false, false},
                                                           {"vpsp", 105, false, false},
                                                           {"vhartree_vloc", 106, false, false},
                                                           {"vhxc", 107, false, true},
                                                           {"exchange_correlation_potential", 108, false, true}}};

/// Returns the quantity of an fform, or null.
const AbinitQuantity* abinit_quantity(std::int32_t form) {
  const auto* found = std::find_if(abinit_quantities.begin(), abinit_quantities.end(),
                                   [&](const AbinitQuantity& quantity) { return quantity.form == form; });
  return found == abinit_quantities.end() ? nullptr : found;
}

/// Returns the quantity of a NetCDF file, or null.
const AbinitQuantity* abinit_quantity(const NetCdfFile& file) {
  if (!file.has("primitive_vectors")) return nullptr;
  const auto* found = std::find_if(abinit_quantities.begin(), abinit_quantities.end(),
                                   [&](const AbinitQuantity& quantity) { return file.has(quantity.variable); });
  return found == abinit_quantities.end() ? nullptr : found;
}

/// Sets the components (nspden) of a quantity, without their positions.
void take_quantity(GridDensityTable& table, const AbinitQuantity& quantity, std::int64_t components, double cutoff) {
  require(components == 1 || components == 2 || components == 4, Fault::bad_file,
          "{}: nspden must be 1, 2 or 4 (got {}): rerun the code that wrote the file", table.first.path, components);
  table.components = quantity.of_spins ? static_cast<int>(components) : 1;
  if (quantity.density) {
    if (components == 2) table.spins = SpinValues::total_and_up;
    table.cutoff = cutoff_of_density(cutoff, table);
  } else {
    table.spins = SpinValues::up_and_down;
    table.units = "hartree";
  }
}

/// \pre the position of the first value is set
void set_strides(GridDensityTable& table, std::int64_t value) {
  require(plausible(table.grid), Fault::bad_file,
          "{}: invalid grid ({} x {} x {} points): rerun the code that wrote the file", table.first.path, table.grid.nx,
          table.grid.ny, table.grid.nz);
  table.stride = {value, value * table.grid.nx, value * table.grid.nx * table.grid.ny};
  table.component_stride = table.stride[2] * table.grid.nz;
}

/// One record for each component.
GridDensityTable abinit_fortran_density(const AbinitQuantity& quantity, const std::string& path) {
  const File file(path);
  FortranRecords records(file);
  const AbinitHeader header = read_abinit_header(records, path);
  GridDensityTable table;
  table.first.path = path;
  table.crystal = crystal_of_density(header.facts, path);
  table.grid = {header.facts.ngfft[0], header.facts.ngfft[1], header.facts.ngfft[2]};
  take_quantity(table, quantity, header.facts.nspden, header.facts.ecut_eff);
  const std::int64_t points = plausible(table.grid) ? table.grid.volume() : 0;
  require(points > 0 && points <= file.size(), Fault::bad_file,
          "{}: truncated record: {} x {} x {} points do not fit: copy the file again", path, table.grid.nx,
          table.grid.ny, table.grid.nz);
  table.first = records.skip(points, Element::float64);
  table.first.count = 1;
  table.first.record = false;
  records.seek(table.first.offset - 4);
  records.next(8 * points);  // complex values, as in responses, would need twice the size
  set_strides(table, 8);
  table.component_stride += 8;
  return table;
}

GridDensityTable abinit_netcdf_density(const NetCdfFile& file, const AbinitQuantity& quantity,
                                       const std::string& path) {
  const auto shape = file.shape(quantity.variable);  // [component][z][y][x][1 or 2]
  require(shape.size() == 5 && (shape[4] == 1 || shape[4] == 2), Fault::bad_file,
          "{}: variable {} has not the dimensions of a density", path, quantity.variable);
  GridDensityTable table;
  AbinitFacts facts;
  if (file.has("reduced_atom_positions")) {
    facts = read_abinit_netcdf_crystal(file);
  } else {
    facts.rprimd = read_abinit_netcdf_lattice(file);
  }
  table.crystal = crystal_of_density(facts, path);
  table.grid = {shape[3], shape[2], shape[1]};
  if (file.has("ecut_eff")) facts.ecut_eff = file.real("ecut_eff");
  table.first = file.extent(quantity.variable);
  take_quantity(table, quantity, shape[0], facts.ecut_eff);
  set_strides(table, shape[4] * bytes_of(table.first.element));
  return table;
}

Crystal own_crystal(const Hdf5File& file, const std::string& path) {
  Crystal crystal{{}, {}, {identity_operation()}};
  const auto lattice = file.read("lattice", 9);
  for (std::size_t i = 0; i < 9; ++i) crystal.lattice[i / 3][i % 3] = lattice[i];
  if (!file.has("atomic_numbers")) return crystal;
  constexpr std::int64_t most_listed_atoms = 100'000;
  const std::int64_t atoms = file.extent("atomic_numbers").count;
  require(atoms <= most_listed_atoms, Fault::bad_file,
          "{}: invalid number of atoms ({}): rerun the code that wrote the file", path, atoms);
  const auto numbers = file.read("atomic_numbers", atoms), places = file.read("positions", 3 * atoms);
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const int number = numbers[n] > 0 && numbers[n] < 1000 ? static_cast<int>(numbers[n]) : 0;
    crystal.atoms.push_back({symbol_of(number), {places[3 * n], places[3 * n + 1], places[3 * n + 2]}});
  }
  return crystal;
}

/// Reads the output of write_density: a dataset [z][y][x] for each component, of the same length.
GridDensityTable own_density(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  const auto shape = file.shape("density");
  require(shape.size() == 3, Fault::bad_file, "{}: dataset density has not the dimensions of a density", path);
  GridDensityTable table;
  table.crystal = own_crystal(file, path);
  require_volume(path, table.crystal);
  const std::string units = file.text("units");
  table.units = units.substr(0, units.find("; lengths"));
  table.grid = {shape[2], shape[1], shape[0]};
  table.first = file.extent("density");
  set_strides(table, bytes_of(table.first.element));
  if (file.has_attribute("cutoff") && file.has_attribute("half_sphere")) {
    const double cutoff = file.real("cutoff");  // in oblique cells slightly above the largest sphere that fits
    if (cutoff <= 4 * cutoff_of_density(cutoff, table)) table.cutoff = cutoff;
    table.half_sphere = file.integer("half_sphere") != 0;
  }
  std::vector<const char*> names{"mx", "my", "mz"};
  if (!file.has("mx")) names.assign(file.has("mz") ? 1 : 0, "mz");
  for (const char* name : names) {
    const std::int64_t distance = file.extent(name).offset - table.first.offset;
    if (table.components == 1) table.component_stride = distance;
    require(file.shape(name) == shape && distance == table.components * table.component_stride, Fault::unsupported,
            "{}: the datasets of the density are not at equal distances in the file: write it again with Seiche", path);
    ++table.components;
  }
  return table;
}

/// Returns the axis with the smallest stride in the file.
std::size_t axis_of_lines(const GridDensityTable& table) {
  return static_cast<std::size_t>(std::min_element(table.stride.begin(), table.stride.end()) - table.stride.begin());
}
/// Returns the distance between values of a line in numbers: 2 for complex values.
std::int64_t step_of_lines(const GridDensityTable& table) {
  return table.stride[axis_of_lines(table)] / bytes_of(table.first.element);
}

/// Calls visit(component, offset, point) for each line of a box: its offset in the file, and its first point, counted
/// from the first of the box.
template <class Visit>
void each_line(const GridDensityTable& table, const Box& box, const Visit& visit) {
  const std::size_t along = axis_of_lines(table);
  Box starts = box;
  starts.axis[along].high = box.empty() ? box.axis[along].low : box.axis[along].low + 1;
  Extent line = table.first;
  line.count = box.size(static_cast<int>(along)) * step_of_lines(table);
  const auto& [ax, ay, az] = starts.axis;
  for (std::size_t c = 0; c < static_cast<std::size_t>(table.components); ++c) {
    for (std::int64_t z = az.low; z < az.high; ++z) {
      for (std::int64_t y = ay.low; y < ay.high; ++y) {
        for (std::int64_t x = ax.low; x < ax.high; ++x) {
          line.offset = table.first.offset + static_cast<std::int64_t>(c) * table.component_stride +
                        x * table.stride[0] + y * table.stride[1] + z * table.stride[2];
          visit(c, line, std::array{x - ax.low, y - ay.low, z - az.low});
        }
      }
    }
  }
}

/// Reads the description of a file, without checking its length.
std::optional<GridDensityTable> locate(const std::string& path) {
  if (recognises_castep(path) || recognises_castep_binary(path)) return castep_density(path);
  if (const AbinitQuantity* quantity = abinit_quantity(abinit_form(path)))
    return abinit_fortran_density(*quantity, path);
  if (NetCdfFile::recognises(path)) {
    const NetCdfFile file(path);
    if (const AbinitQuantity* quantity = abinit_quantity(file)) return abinit_netcdf_density(file, *quantity, path);
  }
  if (Hdf5File::recognises(path) && Hdf5File::open(path).has("density")) return own_density(path);
  return std::nullopt;
}

/// Converts components of the file to the total and the magnetisation; for a potential to its mean and its field.
void to_moments(const GridDensityTable& table, std::vector<std::vector<double>>& components) {
  if (table.spins == SpinValues::moments || components.size() < 2) return;
  for (std::size_t i = 0; i < components[0].size(); ++i) {
    const double first = components[0][i], second = components[1][i];
    if (table.spins == SpinValues::total_and_up) {
      components[1][i] = 2 * second - first;
      continue;
    }
    components[0][i] = (first + second) / 2;
    if (components.size() == 4) {  // the component between up and down is Bx - i By
      components[1][i] = components[2][i];
      components[2][i] = -components[3][i];
    }
    components.back()[i] = (first - second) / 2;
  }
}

}  // namespace

bool is_abinit_grid(std::int32_t form) { return abinit_quantity(form) != nullptr; }

std::optional<GridDensityTable> find_grid_density(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  const auto table = locate(path);
  if (!table) return table;
  Extent last = table->first;
  const auto& s = table->stride;
  last.count = 1;
  last.offset += (table->components - 1) * table->component_stride + (table->grid.nx - 1) * s[0] +
                 (table->grid.ny - 1) * s[1] + (table->grid.nz - 1) * s[2];
  require_complete(File(path), last);
  return table;
}

std::vector<std::vector<double>> read_grid_density(const GridDensityTable& table, const Box& box) {
  const File file(table.first.path);
  const std::size_t along = axis_of_lines(table);
  const std::int64_t step = step_of_lines(table);
  std::vector<double> numbers(static_cast<std::size_t>(box.size(static_cast<int>(along)) * step));
  std::vector<std::vector<double>> components(static_cast<std::size_t>(table.components),
                                              std::vector<double>(static_cast<std::size_t>(box.volume())));
  each_line(table, box, [&](std::size_t c, const Extent& line, const auto& point) {
    // The imaginary part of the last value is not needed, but exists in the file.
    read_extent(file, line, {0, line.count}, std::span(numbers));
    const auto view = dense_view(components[c].data(), box);
    double* to = &view(point[0], point[1], point[2]);
    for (std::int64_t i = 0; i < line.count; i += step, to += view.stride[along]) {
      const double value = numbers[static_cast<std::size_t>(i)];
      require(std::isfinite(value), Fault::bad_file,
              "{}: the density has a value that is not finite: rerun the code that wrote it", file.path());
      *to = table.scale * value;
    }
  });
  to_moments(table, components);
  return components;
}

void write_grid_density(const GridDensityTable& table, const Density& density) {
  const File file(table.first.path, File::Mode::write);
  const std::size_t along = axis_of_lines(table);
  const std::int64_t step = step_of_lines(table);
  std::vector<double> numbers(static_cast<std::size_t>(density.box.size(static_cast<int>(along)) * step));
  each_line(table, density.box, [&](std::size_t c, const Extent& line, const auto& point) {
    const auto view = dense_view(density.components[c].data(), density.box);
    const double* from = &view(point[0], point[1], point[2]);
    for (std::int64_t i = 0; i < line.count; i += step, from += view.stride[along]) {
      numbers[static_cast<std::size_t>(i)] = *from / table.scale;
    }
    write_extent(file, line, {0, line.count}, std::span(std::as_const(numbers)));
  });
  file.flush();
}

}  // namespace seiche
