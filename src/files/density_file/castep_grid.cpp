// SPDX-License-Identifier: BSD-3-Clause
#include "files/density_file/castep_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/agree.hpp"
#include "containers/output_file.hpp"
#include "crystal/lattice.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/density_file/vasp_grid.hpp"
#include "files/vasp/units.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

struct Family {
  CastepGrid quantity;
  const char *ending, *content;
  std::string units;
  const char* columns[2];  ///< of one spin, of two
  const char* in_units;
};
const std::array<Family, 3>& families() {
  static const std::array<Family, 3> all{{
      {CastepGrid::density,
       ".den_fmt",
       "electrons per volume",
       electrons_per_volume,
       {"charge", "charge spin"},
       " in units of electrons/grid_point * number of grid_points"},
      {CastepGrid::potential,
       ".pot_fmt",
       "a potential",
       "hartree",
       {"pot", "pot_up pot_down"},
       " in units of Hartrees"},
      {CastepGrid::elf, ".elf_fmt", "an ELF", elf_units, {"chi", "chi_up chi_down"}, ""},
  }};
  return all;
}
const Family& family_of(CastepGrid quantity) {
  return *std::find_if(families().begin(), families().end(), [&](const Family& f) { return f.quantity == quantity; });
}

/// Checks the units; potentials may have unknown ones, and eV.
void require_quantity(const std::string& path, const Family& family, const std::string& units) {
  const bool other = units == electrons_per_volume || units == elf_units;
  const bool fits = family.quantity == CastepGrid::potential ? !other : units == family.units;
  require(fits, Fault::bad_argument, "{}: files of this name hold {}, but the unit of the values is {}: {}", path,
          family.content, units, units.starts_with(unknown_units) ? "state their unit" : "choose another name");
}

/// Returns the angle between two vectors in degrees.
double degrees_between(const Vector3& a, const Vector3& b) {
  return std::acos(std::clamp(dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)), -1.0, 1.0)) * 180 / std::acos(-1.0);
}

std::string castep_head(const Density& density, const Family& family) {
  const auto& cell = density.crystal.lattice;
  const std::size_t spins = density.components.size();
  std::string text = " BEGIN header\n\n           Real Lattice(A)               Lattice parameters(A)    Cell Angles\n";
  constexpr const char *lengths[] = {"a", "b", "c"}, *angles[] = {"alpha", "beta ", "gamma"};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const double x : cell[i]) text += formatted("{:20.14f}", x * bohr_in_angstrom);
    text +=
        formatted("     {} ={:12.6f}  {} ={:12.6f}\n", lengths[i], std::sqrt(dot(cell[i], cell[i])) * bohr_in_angstrom,
                  angles[i], degrees_between(cell[(i + 1) % 3], cell[(i + 2) % 3]));
  }
  text += formatted("\n   {}   F                        ! nspins, non-collinear spin\n", spins);
  text += formatted("{:6d}{:6d}{:6d}            ! fine FFT grid along <a,b,c>\n", density.grid.nx, density.grid.ny,
                    density.grid.nz);
  return text + formatted(" END header: data is \"<a b c> {}\"{}\n\n", family.columns[spins - 1], family.in_units);
}

/// Writes this rank's points at offsets from `begin`: lines of equal length, x fastest.
void write_points(const Density& density, const std::vector<std::vector<double>>& components, RunWriter& out,
                  std::int64_t begin) {
  const GridShape& grid = density.grid;
  const auto& axis = density.box.axis;
  const std::int64_t line = 3 * 6 + std::ssize(components) * value_width + 1;
  std::size_t point = 0;
  std::string text;
  for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
    for (std::int64_t y = axis[1].low; y < axis[1].high; ++y) {
      text.clear();
      for (std::int64_t x = 0; x < grid.nx; ++x, ++point) {
        text += formatted("{:6d}{:6d}{:6d}", x + 1, y + 1, z + 1);
        for (const auto& values : components) append_value(text, values[point]);
        text += '\n';
      }
      out.add(begin + (z * grid.ny + y) * grid.nx * line, text);
    }
  }
}

/// Returns the values as this file has them.
std::vector<std::vector<double>> values_in_file(const Density& density, CastepGrid quantity) {
  const double in_hartree = density.units == "eV" ? 1 / vasp::hartree : 1;  // grids in eV are VASP's
  const double scale = quantity == CastepGrid::density ? density.crystal.volume() : in_hartree;
  auto components = density.components;
  for (auto& values : components) {
    for (double& value : values) value *= scale;
  }
  if (quantity == CastepGrid::potential && components.size() == 2)
    sums_and_differences(components[0], components[1], 1);
  return components;
}

}  // namespace

std::optional<CastepGrid> castep_grid_named(const std::string& path) {
  const std::string ending = ending_of(path);
  const auto* found =
      std::find_if(families().begin(), families().end(), [&](const Family& f) { return ending == f.ending; });
  return found != families().end() ? std::optional(found->quantity) : std::nullopt;
}

std::string units_of(CastepGrid quantity) { return family_of(quantity).units; }

std::vector<std::string> write_castep_grid(const Density& density, const std::string& path) {
  const Family& family = family_of(*castep_grid_named(path));
  require_quantity(path, family, density.units);
  require(density.components.size() <= 2, Fault::unsupported,
          "{}: the order of spinor components in CASTEP files is not supported: write an .h5", path);
  const std::int64_t most = std::max({density.grid.nx, density.grid.ny, density.grid.nz});
  require(most < 100'000, Fault::unsupported, "{}: {} points on an axis do not fit into its columns: write an .h5",
          path, most);
  OutputFile output(density.comm, path);
  const std::string head = castep_head(density, family);
  together(density.comm, [&] {
    const auto components = values_in_file(density, family.quantity);
    const File file(output.temporary(), File::Mode::write);
    RunWriter out(file);
    if (density.comm.rank() == 0) out.add(0, head);
    write_points(density, components, out, std::ssize(head));
    out.flush();
    output.flush(file);
  });
  output.commit();
  return {path};
}

}  // namespace seiche
