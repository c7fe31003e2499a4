// SPDX-License-Identifier: BSD-3-Clause
#include "files/grids/vasp_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "comm/agree.hpp"
#include "crystal/crystal.hpp"
#include "files/containers/output_file.hpp"
#include "files/grids/grid_file.hpp"
#include "files/vasp/units.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"

namespace seiche {

namespace {

constexpr std::int64_t vasp_width = 25, columns = 5;  // 17 digits, from which the same number is read back

/// Whether the name of a file begins with `word`, or ends with it behind a point.
bool is_called(const std::string& path, const std::string& word) {
  const std::string name = in_small_letters(std::filesystem::path(path).filename().string());
  return ending_of(path) != ".cube" && ending_of(path) != ".xsf" && ending_of(path) != ".h5" &&
         ending_of(path) != ".png" && (name.starts_with(word) || name.ends_with("." + word));
}

/// Cell and atoms; those of one kind that follow each other make one entry.
std::string poscar_of(const Crystal& crystal) {
  const auto vector = [](const Vector3& v, double unit) {
    return fmt::format("{:22.16f}{:22.16f}{:22.16f}\n", v[0] * unit, v[1] * unit, v[2] * unit);
  };
  std::string text = "written by Seiche\n   1.0\n", kinds, counts, places;
  for (const Vector3& a : crystal.lattice) text += vector(a, vasp::bohr);
  std::int64_t alike = 0;
  for (std::size_t n = 0; n < crystal.atoms.size(); ++n) {
    const Atom& atom = crystal.atoms[n];
    places += vector(fractional(crystal, atom.position), 1);
    ++alike;
    if (n + 1 < crystal.atoms.size() && crystal.atoms[n + 1].symbol == atom.symbol) continue;
    kinds += fmt::format("{:>5}", atom.symbol);
    counts += fmt::format("{:5d}", alike);
    alike = 0;
  }
  return text + kinds + '\n' + counts + "\nDirect\n" + places;
}

std::string shape_of(const GridShape& grid) { return fmt::format("\n{:5d}{:5d}{:5d}\n", grid.nx, grid.ny, grid.nz); }

/// This rank's part of a component, times `scale`, at places counted from `begin`.
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
        fmt::format_to(std::back_inserter(text), "{:25.16e}", *next * scale);
        if ((i + 1) % columns == 0 || i + 1 == grid.volume()) text += '\n';
      }
      out.add(begin + first * vasp_width + first / columns, text);
    }
  }
}

}  // namespace

bool names_vasp_potential(const std::string& path) { return is_called(path, "locpot"); }
bool names_vasp_grid(const std::string& path) {
  return is_called(path, "chgcar") || is_called(path, "parchg") || names_vasp_potential(path);
}

std::vector<std::string> write_vasp_grid(const Density& density, const std::string& path) {
  const bool potential = names_vasp_potential(path), electrons = density.units == electrons_per_volume;
  require(potential != electrons, Fault::bad_argument, "{}: {}; choose another name", path,
          potential ? "a LOCPOT holds a potential, and this is a density (CHGCAR)"
                    : "it holds electrons per volume, and these are values of another kind");
  require(!potential || density.components.size() == 1, Fault::unsupported,
          "{}: a LOCPOT of several components is not known here; write a .h5", path);
  OutputFile output(density.comm, path);
  const std::string head = poscar_of(density.crystal), shape = shape_of(density.grid);
  const std::int64_t points = density.grid.volume();
  const std::int64_t body = points * vasp_width + (points + columns - 1) / columns;
  const double in_file = density.units == "hartree" ? vasp::hartree : 1;  // a LOCPOT is in eV
  const double scale = potential ? in_file : density.crystal.volume();
  together(density.comm, [&] {
    const File file(output.temporary(), File::Mode::write);
    RunWriter out(file);
    std::int64_t begin = std::ssize(head);
    for (std::size_t c = 0; c < density.components.size(); ++c) {
      if (density.comm.rank() == 0) out.add(c == 0 ? 0 : begin, c == 0 ? head + shape : shape);
      begin += std::ssize(shape);
      write_values(density, density.components[c], scale, out, begin);
      begin += body;
    }
    out.flush();
    output.flush(file);
  });
  output.commit();
  return {path};
}

}  // namespace seiche
