// SPDX-License-Identifier: BSD-3-Clause
#include "files/density_file/vasp_grid.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "comm/agree.hpp"
#include "containers/output_file.hpp"
#include "files/density_file/castep_grid.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/vasp/beside.hpp"
#include "files/vasp/units.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"

namespace seiche {

namespace {

constexpr std::int64_t columns = 5;

/// Whether the name of a file, in lower case, begins with `word` or has it as its ending.
bool is_called(const std::string& name, const std::string& word) {
  return name.starts_with(word) || name.ends_with("." + word);
}

/// CHG, CHG.old, CHG_sum and silicon.chg, but not chg.save.
bool is_chg(const std::string& name) {
  const std::string small = in_small_letters(name);
  return small == "chg" || small.ends_with(".chg") || (name.starts_with("CHG") && std::strchr("._-", name[3]));
}

/// Checks the units; potentials may have unknown ones.
void require_quantity(const std::string& path, VaspGrid quantity, const std::string& units) {
  const bool electrons = units == electrons_per_volume, elf = units == elf_units;
  if (quantity == VaspGrid::potential) {
    require(!electrons && !elf, Fault::bad_argument,
            "{}: a LOCPOT holds a potential, but this is {}: choose another name", path,
            electrons ? "a density (CHGCAR)" : "an ELF (ELFCAR)");
  } else {
    require(quantity == VaspGrid::density ? electrons : elf, Fault::bad_argument,
            "{}: files of this name hold {}, but the unit of the values is {}: {}", path,
            quantity == VaspGrid::density ? "electrons per volume" : "an ELF", units,
            units.starts_with(unknown_units) ? "state their unit" : "choose another name");
  }
}

std::string shape_of(const GridShape& grid) { return formatted("\n{:5d}{:5d}{:5d}\n", grid.nx, grid.ny, grid.nz); }

/// Writes this rank's part of a component, times `scale`, at offsets from `begin`.
void write_values(const Density& density, const std::vector<double>& values, double scale, RunWriter& out,
                  std::int64_t begin) {
  const GridShape& grid = density.grid;
  const auto& axis = density.box.axis;
  auto next = values.begin();
  std::string text;
  for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
    for (std::int64_t y = axis[1].low; y < axis[1].high; ++y) {
      const std::int64_t first = (z * grid.ny + y) * grid.nx;
      text.clear();
      for (std::int64_t i = first; i < first + grid.nx; ++i, ++next) {
        append_value(text, *next * scale);
        if ((i + 1) % columns == 0 || i + 1 == grid.volume()) text += '\n';
      }
      out.add(begin + first * value_width + first / columns, text);
    }
  }
}

}  // namespace

std::optional<VaspGrid> vasp_grid_named(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string(), name = in_small_letters(file);
  const std::string ending = ending_of(path);
  if (is_cube(path) || ending == ".xsf" || ending == ".h5" || ending == ".png" || castep_grid_named(path))
    return std::nullopt;
  const bool vasp = ending == ".vasp";
  const auto says = [&](const char* word) {
    return is_called(name, word) || (vasp && name.find(word) != std::string::npos);
  };
  if (says("locpot")) return VaspGrid::potential;
  if (says("elfcar")) return VaspGrid::elf;
  for (const char* word : {"chgcar", "parchg", "aeccar", "aeccar0", "aeccar1", "aeccar2"}) {
    if (is_called(name, word)) return VaspGrid::density;
  }
  return vasp || is_chg(file) ? std::optional(VaspGrid::density) : std::nullopt;
}

void sums_and_differences(std::vector<double>& a, std::vector<double>& b, double s) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double sum = a[i] + b[i], difference = a[i] - b[i];
    a[i] = s * sum;
    b[i] = s * difference;
  }
}

std::string units_of(VaspGrid quantity) {
  switch (quantity) {
    case VaspGrid::density:
      return electrons_per_volume;
    case VaspGrid::potential:
      return "eV";
    case VaspGrid::elf:
      return elf_units;
  }
  return "";
}

std::vector<std::string> write_vasp_grid(const Density& density, const std::string& path) {
  const VaspGrid quantity = *vasp_grid_named(path);
  require_quantity(path, quantity, density.units);
  require(quantity != VaspGrid::potential || density.components.size() <= 2, Fault::unsupported,
          "{}: the order of spinor potentials in VASP files is not supported: write an .h5", path);
  OutputFile output(density.comm, path);
  const std::string head = poscar_of(density.crystal), shape = shape_of(density.grid);
  const std::int64_t points = density.grid.volume();
  const std::int64_t body = points * value_width + (points + columns - 1) / columns;
  const double in_file = density.units == "hartree" ? vasp::hartree : 1;  // a LOCPOT is in eV
  const double scale = quantity == VaspGrid::density ? density.crystal.volume() : in_file;
  std::vector<std::vector<double>> spins;
  if (quantity == VaspGrid::potential && density.components.size() == 2) {
    spins = density.components;
    sums_and_differences(spins[0], spins[1], 1);
  }
  const auto& components = spins.empty() ? density.components : spins;
  together(density.comm, [&] {
    const File file(output.temporary(), File::Mode::write);
    RunWriter out(file);
    std::int64_t begin = std::ssize(head);
    for (std::size_t c = 0; c < components.size(); ++c) {
      if (density.comm.rank() == 0) out.add(c == 0 ? 0 : begin, c == 0 ? head + shape : shape);
      begin += std::ssize(shape);
      write_values(density, components[c], scale, out, begin);
      begin += body;
    }
    out.flush();
    output.flush(file);
  });
  output.commit();
  return {path};
}

}  // namespace seiche
