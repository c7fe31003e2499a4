// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes densities as .cube, .xsf and .h5. Numbers in text have a fixed width, so that every rank knows the
/// positions of its values.
#include "files/density_file/grid_file.hpp"

#include <filesystem>

#include "comm/equal_arguments.hpp"
#include "containers/archive.hpp"
#include "containers/hdf5.hpp"
#include "containers/output_file.hpp"
#include "crystal/lattice.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/density_file/castep_grid.hpp"
#include "files/density_file/vasp_grid.hpp"
#include "seiche/communicator.hpp"
#include "seiche/density_file.hpp"
#include "support/columns.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"

namespace seiche {

namespace {

constexpr std::int64_t cube_columns = 6;

/// A grid in a text file.
class TextGrid {
 public:
  virtual ~TextGrid() = default;
  virtual std::string head(const Density& density, const std::string& title) const = 0;
  virtual std::string tail() const { return ""; }
  virtual std::int64_t body_size(const GridShape& grid) const = 0;
  /// Writes this rank's part of `values` to `out`, at offsets from `begin`.
  virtual void write(const Density& density, const std::vector<double>& values, std::int64_t begin,
                     RunWriter& out) const = 0;
};

/// Gaussian's cube: x slowest, rows along z in lines of six.
class Cube : public TextGrid {
 public:
  std::string head(const Density& density, const std::string& title) const override {
    const Crystal& crystal = density.crystal;
    const std::array<std::int64_t, 3> points{density.grid.nx, density.grid.ny, density.grid.nz};
    auto text = formatted("Seiche: {}\n{}, x slowest, z fastest\n{:5d}{:20.14f}{:20.14f}{:20.14f}\n", title,
                          density.units, crystal.atoms.size(), 0.0, 0.0, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto n = static_cast<double>(points[i]);
      const Vector3& a = crystal.lattice[i];
      text += formatted("{:5d}{:20.14f}{:20.14f}{:20.14f}\n", points[i], a[0] / n, a[1] / n, a[2] / n);
    }
    for (const Atom& atom : crystal.atoms) {
      const int z = atomic_number(atom.symbol);
      text += formatted("{:5d}{:12.6f}{:20.14f}{:20.14f}{:20.14f}\n", z, static_cast<double>(z), atom.position[0],
                        atom.position[1], atom.position[2]);
    }
    return text;
  }
  std::int64_t body_size(const GridShape& grid) const override { return grid.nx * grid.ny * row_size(grid); }

  void write(const Density& density, const std::vector<double>& values, std::int64_t begin,
             RunWriter& out) const override {
    const GridShape& grid = density.grid;
    const auto& [ax, ay, az] = density.box.axis;
    const auto view = dense_view(values.data(), density.box);
    std::string text;
    for (std::int64_t x = ax.low; x < ax.high; ++x) {
      for (std::int64_t y = ay.low; y < ay.high; ++y) {
        text.clear();
        for (std::int64_t z = az.low; z < az.high; ++z) {
          append_value(text, view(x - ax.low, y - ay.low, z - az.low));
          if ((z + 1) % cube_columns == 0 || z + 1 == grid.nz) text += '\n';
        }
        out.add(begin + (x * grid.ny + y) * row_size(grid) + az.low * value_width + az.low / cube_columns, text);
      }
    }
  }

 private:
  static std::int64_t row_size(const GridShape& grid) {
    return grid.nz * value_width + (grid.nz + cube_columns - 1) / cube_columns;
  }
};

/// XCrySDen's grid: x fastest, one line per row, and the first points repeated at the end of each axis.
class Xsf : public TextGrid {
 public:
  std::string head(const Density& density, const std::string& title) const override {
    std::string text = "# Seiche: " + title + ", " + density.units + "\nCRYSTAL\nPRIMVEC\n";
    for (const Vector3& a : density.crystal.lattice) text += vector(a);
    text += formatted("PRIMCOORD\n{} 1\n", density.crystal.atoms.size());
    for (const Atom& atom : density.crystal.atoms) {
      text += formatted("{:5d}", atomic_number(atom.symbol)) + vector(atom.position);
    }
    const GridShape& g = density.grid;
    text += formatted("BEGIN_BLOCK_DATAGRID_3D\ndensity\nBEGIN_DATAGRID_3D_density\n{} {} {}\n", g.nx + 1, g.ny + 1,
                      g.nz + 1);
    text += vector({0, 0, 0});
    for (const Vector3& a : density.crystal.lattice) text += vector(a);
    return text;
  }
  std::string tail() const override { return "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n"; }
  std::int64_t body_size(const GridShape& grid) const override {
    return (grid.nz + 1) * (grid.ny + 1) * row_size(grid);
  }

  void write(const Density& density, const std::vector<double>& values, std::int64_t begin,
             RunWriter& out) const override {
    const GridShape& grid = density.grid;
    const auto& axis = density.box.axis;
    const auto view = dense_view(values.data(), density.box);
    const auto inside = [&](std::size_t a, std::int64_t i) { return i >= axis[a].low && i < axis[a].high; };
    std::string text;
    for (std::int64_t z = 0; z <= grid.nz; ++z) {
      for (std::int64_t y = 0; y <= grid.ny; ++y) {
        if (!inside(2, z % grid.nz) || !inside(1, y % grid.ny)) continue;
        text.clear();
        for (std::int64_t x = 0; x <= grid.nx; ++x) {
          append_value(text, view(x % grid.nx, y % grid.ny - axis[1].low, z % grid.nz - axis[2].low));
        }
        text += '\n';
        out.add(begin + (z * (grid.ny + 1) + y) * row_size(grid), text);
      }
    }
  }

 private:
  static std::string vector(const Vector3& v) {
    return formatted("{:20.14f}{:20.14f}{:20.14f}\n", v[0] * bohr_in_angstrom, v[1] * bohr_in_angstrom,
                     v[2] * bohr_in_angstrom);
  }
  static std::int64_t row_size(const GridShape& grid) { return (grid.nx + 1) * value_width + 1; }
};

std::vector<std::string> names_of_components(std::size_t components) {
  if (components == 1) return {"density"};
  if (components == 2) return {"density", "mz"};
  return {"density", "mx", "my", "mz"};
}

/// Whether it holds plane waves.
bool is_charge_density(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name == "charge-density.dat" || name == "charge-density.hdf5" || names_berkeleygw_density(path);
}

void require_known_ending(const std::string& path) {
  require(names_density(path) || ending_of(path) == ".h5", Fault::bad_argument,
          "cannot write a density as {} (unknown format): use the ending .cube, .xsf or .h5, or the name "
          "charge-density.dat or .hdf5, CHGCAR, PARCHG, LOCPOT or RHO, or the ending .den_fmt or .pot_fmt",
          path);
}

void write_text(const Density& density, const TextGrid& format, std::size_t component, const OutputFile& output) {
  const std::string name = names_of_components(density.components.size())[component];
  const bool electrons = density.units == electrons_per_volume;
  const std::string total = electrons ? "total density" : "values";
  const std::string other = electrons ? "magnetisation " + name : formatted("component {}", component + 1);
  const std::string head = format.head(density, component == 0 ? total : other);
  const auto begin = static_cast<std::int64_t>(head.size());
  together(density.comm, [&] {
    const File file(output.temporary(), File::Mode::write);
    RunWriter out(file);
    if (density.comm.rank() == 0) {
      out.add(0, head);
      out.add(begin + format.body_size(density.grid), format.tail());
    }
    format.write(density, density.components[component], begin, out);
    out.flush();
    output.flush(file);
  });
}

std::vector<std::string> write_text_files(const Density& density, const std::string& path) {
  const Cube cube;
  const Xsf xsf;
  const TextGrid& format = is_cube(path) ? static_cast<const TextGrid&>(cube) : xsf;
  const auto paths = component_paths(path, density.components.size());
  std::vector<OutputFile> files;
  for (std::size_t c = 0; c < paths.size(); ++c) {
    files.emplace_back(density.comm, paths[c]);
    write_text(density, format, c, files[c]);
  }
  for (OutputFile& file : files) file.commit();
  return paths;
}

/// Creates the file with all metadata and space for the components. \return their offsets
std::vector<std::int64_t> prepare_hdf5(const Density& density, const std::string& path) {
  const Hdf5File file = Hdf5File::create(path);
  file.write_text("written_by", "Seiche");
  file.write_text("units", density.units + "; lengths in bohr");
  file.write_text("index_order", "[z][y][x]");
  file.write_attribute("cutoff", density.cutoff);
  file.write_attribute("half_sphere", std::int32_t{density.half_sphere});
  file.write("lattice", {3, 3}, std::span(density.crystal.lattice[0].data(), 9));
  std::vector<double> numbers, positions;
  for (const Atom& atom : density.crystal.atoms) {
    numbers.push_back(atomic_number(atom.symbol));
    positions.insert(positions.end(), atom.position.begin(), atom.position.end());
  }
  if (!numbers.empty()) {
    file.write("atomic_numbers", {numbers.size()}, numbers);
    file.write("positions", {numbers.size(), 3}, positions);
  }
  const auto points = [](std::int64_t n) { return static_cast<hsize_t>(n); };
  std::vector<std::int64_t> places;
  for (const std::string& name : names_of_components(density.components.size())) {
    file.make_room(name, {points(density.grid.nz), points(density.grid.ny), points(density.grid.nx)});
    places.push_back(file.extent(name).offset);
  }
  return places;
}

std::vector<std::string> write_hdf5(const Density& density, const std::string& path) {
  OutputFile output(density.comm, path);
  std::vector<std::int64_t> places;  // known to all ranks, so that only one of them opens the file with HDF5
  found_by_root(density.comm, places, [&] { places = prepare_hdf5(density, output.temporary()); });
  together(density.comm, [&] {
    const File file(output.temporary(), File::Mode::write);
    const auto& axis = density.box.axis;
    const std::int64_t row = 8 * density.grid.nx;
    // rows of a plane are contiguous, and whole planes of this rank are, too
    const std::int64_t runs = axis[1].size() == density.grid.ny ? 1 : axis[2].size();
    for (std::size_t c = 0; c < places.size() && !density.box.empty(); ++c) {
      const auto bytes = std::as_bytes(std::span(density.components[c]));
      const std::size_t run = bytes.size() / static_cast<std::size_t>(runs);
      for (std::int64_t r = 0; r < runs; ++r) {
        file.write(places[c] + ((axis[2].low + r) * density.grid.ny + axis[1].low) * row,
                   bytes.subspan(static_cast<std::size_t>(r) * run, run));
      }
    }
    output.flush(file);
  });
  output.commit();
  return {path};
}

}  // namespace

void append_value(std::string& text, double value) {
  append(text, value, {value_width, 16, std::chars_format::scientific});
}

std::string ending_of(const std::string& path) {
  return in_small_letters(std::filesystem::path(path).extension().string());
}

bool is_cube(const std::string& path) { return ending_of(path) == ".cube" || ending_of(path) == ".cub"; }

bool names_density(const std::string& path) {
  return is_cube(path) || ending_of(path) == ".xsf" || is_charge_density(path) || vasp_grid_named(path) ||
         castep_grid_named(path);
}

std::vector<std::string> component_paths(const std::string& path, std::size_t components) {
  const std::filesystem::path whole(path);
  std::vector<std::string> paths;
  for (const std::string& name : names_of_components(components)) {
    const std::string stem = whole.stem().string() + "_" + name + whole.extension().string();
    paths.push_back(name == "density" ? path : (whole.parent_path() / stem).string());
  }
  return paths;
}

void expect_output(const Communicator& comm, const std::string& path) {
  together(comm, "expect_output", [&](EqualArguments& same) { same.add("path", path); });
  on_root(comm, [&] {
    if (ending_of(path) != ".png") require_known_ending(path);
    OutputFile::expect_writable(path);
  });
}

std::vector<std::string> write_density(const Density& density, const std::string& path) {
  const std::size_t components = density.components.size();
  together(density.comm, "write_density", [&](EqualArguments& same) {
    same.add("path", path).add("components", components);
    require_known_ending(path);
    require(components == 1 || components == 2 || components == 4, Fault::unsupported,
            "{}: a density must have 1, 2 or 4 components (got {})", path, components);
  });
  if (is_charge_density(path)) return write_charge_density(density, path);
  if (vasp_grid_named(path)) return write_vasp_grid(density, path);
  if (castep_grid_named(path)) return write_castep_grid(density, path);
  return ending_of(path) == ".h5" ? write_hdf5(density, path) : write_text_files(density, path);
}

}  // namespace seiche
