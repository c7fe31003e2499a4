// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads density files of codes: plane-wave components, values on a grid, and text.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "comm/equal_arguments.hpp"
#include "containers/archive.hpp"
#include "crystal/lattice.hpp"
#include "fft/resolved_options.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/density_file/grid_density.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/density_file/text_grid.hpp"
#include "files/density_file/vasp_grid.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/wavefile/other_kinds.hpp"
#include "files/wavefile/wavefile_body.hpp"
#include "interface/fft_members.hpp"
#include "seiche/communicator.hpp"
#include "seiche/density_file.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr double same_cell = 1e-6;  // relative; files contain cells with 6 digits or more

void require_components(const std::string& path, std::size_t found, std::size_t wanted) {
  require(found == wanted, Fault::bad_argument,
          "{} holds {} components of a density, but {} are needed: check that it belongs to the same kind of run", path,
          found, wanted);
}

/// Compares vectors of a file with the vectors of a crystal.
void require_same(const std::string& path, const std::array<Vector3, 3>& found, const std::array<Vector3, 3>& wanted) {
  require(nearly_same(found, wanted, same_cell), Fault::bad_argument,
          "{} has another cell: give a density of the same crystal", path);
}

/// This rank's share of a charge-density file: one wave of each pair G, -G.
struct Share {
  std::vector<Miller> waves;
  std::vector<std::vector<Complex>> components;
};

/// Returns the waves `mine` of one component.
std::vector<Complex> read_values(const ChargeDensityTable& table, const Extent& extent, Range mine) {
  const File file(extent.path);
  const std::int64_t each = table.real ? 1 : 2;
  std::vector<double> numbers(static_cast<std::size_t>(each * mine.size()));
  read_extent(file, extent, {each * mine.low, each * mine.high}, std::span(numbers));
  std::vector<Complex> values;
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(each)) {
    values.emplace_back(numbers[i], table.real ? 0 : numbers[i + 1]);
    require(std::isfinite(values.back().real()) && std::isfinite(values.back().imag()), Fault::bad_file,
            "{}: wave {} has a value that is not finite: rerun the code that wrote it", file.path(),
            mine.low + std::ssize(values));
  }
  return values;
}

Share read_share(const ChargeDensityTable& table, std::size_t components, Range mine) {
  const auto count = static_cast<std::size_t>(mine.size());
  const std::vector<Miller> waves = read_plane_waves(table.waves, mine);
  const auto kept = [&](const Miller& g) { return table.half_sphere || in_half(g); };
  Share share;
  std::copy_if(waves.begin(), waves.end(), std::back_inserter(share.waves), kept);
  for (std::size_t c = 0; c < components; ++c) {
    const std::vector<Complex> values = read_values(table, table.components[c], mine);
    auto& component = share.components.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      if (kept(waves[i])) component.push_back(table.scale * values[i]);
    }
  }
  if (table.spins) {
    for (std::size_t i = 0; i < share.waves.size(); ++i) {
      const Complex up = share.components[0][i], down = share.components[1][i];
      share.components[0][i] = up + down;
      share.components[1][i] = up - down;
    }
  }
  return share;
}

Density read_charge_density(const std::string& path, const Density& like, const FftOptions& options) {
  const Communicator& comm = like.comm;
  ChargeDensityTable table;
  found_by_root(comm, table, [&] {
    table = recognises_berkeleygw_density(path) ? read_berkeleygw_density(path).table : locate_charge_density(path);
    require_same(path, table.reciprocal, like.crystal.reciprocal());
    require_components(path, table.components.size(), like.components.size());
  });
  Share share;
  Density density{.comm = comm};
  together(comm, [&] {
    share = read_share(table, like.components.size(), block(table.count, comm.size(), comm.rank()));
    density = like;
  });
  SphereFft<double> fft(comm, like.grid, share.waves, in_one_group(options));
  together(comm, [&] {
    require(fft.grid_box() == like.box, Fault::bad_argument,
            "the options for reading {} differ from the options of the reference density: use the same options", path);
  });
  for (std::size_t c = 0; c < like.components.size(); ++c) fft.backward(share.components[c], density.components[c]);
  return density;
}

/// Checks that a text file has the grid of `like`. Many programs write the steps of the grid with only 6 decimals.
void require_grid(const std::string& path, const TextGridHead& head, const Density& like) {
  const std::array<std::int64_t, 3> found{head.grid.nx, head.grid.ny, head.grid.nz},
      wanted{like.grid.nx, like.grid.ny, like.grid.nz};
  double difference = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    require(found[i] == wanted[i], Fault::bad_argument,
            "{} has {} grid points along axis {} instead of {}: use the same grid", path, found[i], i + 1, wanted[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      const double apart = std::abs(head.crystal.lattice[i][j] - like.crystal.lattice[i][j]);
      difference = std::max(difference, apart / static_cast<double>(wanted[i]));
    }
  }
  require(difference <= 1e-5, Fault::bad_argument, "{} has another cell: give a density of the same crystal", path);
}

bool all_there(const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(), [](const auto& path) { return std::filesystem::exists(path); });
}

/// Returns all components of one text file.
std::vector<std::vector<double>> read_text(const std::string& path, const Density& like) {
  TextGridReader reader(path);
  require_grid(path, reader.head(), like);
  return reader.read(like.box);
}

/// Adds the components of other text files with one component, as written by write_density beside it.
void add_beside(const std::string& path, const Density& like, std::vector<std::vector<double>>& components) {
  const auto paths = component_paths(path, like.components.size());
  if (!all_there(paths)) return;
  for (std::size_t c = 1; c < paths.size(); ++c) {
    auto found = read_text(paths[c], like);
    require_components(paths[c], found.size(), 1);
    components.push_back(std::move(found[0]));
  }
}

/// Reads text files. A density of one component is compared with a total, also if the file has a magnetisation.
Density read_texts(const std::string& path, const Density& like) {
  Density density{.comm = like.comm};
  together(like.comm, [&] {
    density = like;
    TextGridReader reader(path);
    require_grid(path, reader.head(), like);
    density.components = reader.read(like.box);
    const std::size_t wanted = like.components.size();
    const bool alone = density.components.size() == 1 && !reader.head().complete;
    if (alone && wanted > 1) add_beside(path, like, density.components);
    if (reader.head().units == electrons_per_volume && wanted == 1) density.components.resize(1);
    const bool total = alone && density.components.size() == 1;
    if (!total) require_components(path, density.components.size(), wanted);
  });
  return density;
}

/// Reads a density on a grid, each rank its own box.
Density read_grid(const GridDensityTable& table, const Density& like) {
  const std::string& path = table.first.path;
  Density density{.comm = like.comm};
  together(like.comm, [&] {
    density = like;
    require_same(path, table.crystal.lattice, like.crystal.lattice);
    require(table.grid == like.grid, Fault::bad_argument,
            "{} has {} x {} x {} points instead of {} x {} x {}: use the same grid", path, table.grid.nx, table.grid.ny,
            table.grid.nz, like.grid.nx, like.grid.ny, like.grid.nz);
    require_components(path, static_cast<std::size_t>(table.components), like.components.size());
    density.components = read_grid_density(table, like.box);
  });
  return density;
}

/// The kind of density in a file, found by one rank.
struct Found {
  std::string charge_density;  ///< the name of the file; "" for the other kinds
  bool in_text = false;
  GridDensityTable grid;  ///< if it is neither
  std::string units = electrons_per_volume;
};

void describe(Archive& archive, Found& found) { archive(found.charge_density, found.in_text, found.grid, found.units); }

Found find_density(const std::string& path) {
  require(!path.empty(), Fault::bad_file, "the name of a density is empty: give the name of its file");
  std::error_code fault;
  const bool there = std::filesystem::exists(path, fault);
  require(!fault, Fault::bad_file, "cannot open {} ({}): check its name and permissions", path, fault.message());
  require(there, Fault::bad_file, "cannot find {}: check the name", path);
  refuse_other_kinds(path);
  Found found;
  if (const auto grid = find_grid_density(path)) {
    found.grid = *grid;
    found.units = grid->units;
    return found;
  }
  found.in_text = TextGridReader::recognises(path);
  if (recognises_berkeleygw_density(path)) {
    found.charge_density = path;
  } else if (!found.in_text) {
    found.charge_density = find_charge_density(path);
  }
  require(found.in_text || !found.charge_density.empty(), Fault::bad_file,
          "{} is not a density of a known format{}: give a Quantum ESPRESSO .save or charge-density file, a CASTEP "
          ".check, .den_fmt or .pot_fmt, an ABINIT DEN, POT, VHA, VHXC or VXC, a BerkeleyGW RHO, an .h5 of Seiche, "
          "a .cube, an .xsf, "
          "or a CHGCAR, CHG, AECCAR0, PARCHG, LOCPOT or ELFCAR of VASP",
          path, said_of_unknown(path));
  if (found.in_text) found.units = TextGridReader(path).head().units;
  return found;
}

Density read_found(const std::string& path, const Found& found, const Density& like, const FftOptions& options) {
  Density density = found.in_text                  ? read_texts(path, like)
                    : found.charge_density.empty() ? read_grid(found.grid, like)
                                                   : read_charge_density(found.charge_density, like, options);
  density.units = found.units;
  return density;
}

/// The description of a density before its values are read: crystal, grid and number of components.
struct DensityTemplate {
  Density density;  ///< without a box and values
  std::int64_t components = 1;
};

void describe(Archive& archive, DensityTemplate& density_template) {
  Density& d = density_template.density;
  archive(d.crystal, d.grid, d.cutoff, d.half_sphere, d.units, density_template.components);
}

/// Returns the number of components in files of the magnetisation beside a text file.
std::int64_t components_beside(const std::string& path) {
  for (const std::size_t count : {std::size_t{4}, std::size_t{2}}) {
    if (all_there(component_paths(path, count))) return static_cast<std::int64_t>(count);
  }
  return 1;
}

/// By one rank.
DensityTemplate template_of(const Communicator& comm, const std::string& path, const Found& found) {
  DensityTemplate density_template{{.comm = comm}};
  Density& density = density_template.density;
  density.units = found.units;
  if (found.in_text) {
    TextGridReader reader(path);
    density.crystal = reader.head().crystal;
    density.grid = reader.head().grid;
    std::int64_t& count = density_template.components;
    count = reader.count();
    if (count == 1 && !reader.head().complete) count = components_beside(path);
    require(density.units != electrons_per_volume || count == 1 || count == 2 || count == 4, Fault::unsupported,
            "{}: the file has {} blocks of values: a density has 1, 2 or 4", path, count);
  } else if (found.charge_density.empty()) {
    density.crystal = found.grid.crystal;
    density.grid = found.grid.grid;
    density.cutoff = found.grid.cutoff;
    density.half_sphere = found.grid.half_sphere;
    density_template.components = found.grid.components;
  } else if (recognises_berkeleygw_density(path)) {
    const BerkeleyGwDensity said = read_berkeleygw_density(path);
    density.crystal = said.crystal;
    density.grid = said.grid;
    density.cutoff = said.cutoff;
    density_template.components = std::ssize(said.table.components);
  } else {
    const auto schema = std::filesystem::path(found.charge_density).parent_path() / "data-file-schema.xml";
    require(std::filesystem::exists(schema), Fault::bad_argument,
            "{} does not hold its cell and grid, and {} is missing: give the whole .save", path, schema.string());
    const OrbitalHeader header = read_quantum_espresso_schema(schema.string());
    density.crystal = header.crystal;
    density.grid = header.grid;
    density.cutoff = header.density_cutoff;
    density.half_sphere = header.half_sphere;
    density_template.components = std::ssize(locate_charge_density(found.charge_density).components);
  }
  return density_template;
}

/// Collective. Returns a density with allocated values.
Density cast(const DensityTemplate& density_template) {
  const Communicator& comm = density_template.density.comm;
  return made_together(comm, [&] {
    Density density = density_template.density;
    density.box = sphere_grid_boxes(comm.size(), density.grid)[static_cast<std::size_t>(comm.rank())];
    density.components.assign(static_cast<std::size_t>(density_template.components),
                              std::vector<double>(static_cast<std::size_t>(density.box.volume())));
    return density;
  });
}

}  // namespace

Density read_density(const std::string& path, const Density& like, const FftOptions& options) {
  const Communicator& comm = like.comm;
  together(comm, "read_density", [&](EqualArguments& same) { same.add("path", path).add_options(options); });
  Found found;
  found_by_root(comm, found, [&] { found = find_density(path); });
  return read_found(path, found, like, options);
}

Density read_density(const Communicator& comm, const std::string& path) {
  together(comm, "read_density", [&](EqualArguments& same) { same.add("path", path); });
  Found found;
  DensityTemplate density_template{{.comm = comm}};
  found_by_root(comm, found, [&] { found = find_density(path); });
  found_by_root(comm, density_template, [&] { density_template = template_of(comm, path, found); });
  return read_found(path, found, cast(density_template), {.reproducible = true});
}

bool holds_density_only(const Communicator& comm, const std::string& path) {
  together(comm, "holds_density_only", [&](EqualArguments& same) { same.add("path", path); });
  bool only = false;
  found_by_root(comm, only, [&] {
    const auto& formats = wave_formats();
    const bool waves = std::any_of(formats.begin(), formats.end(), [&](const auto& f) { return f.recognises(path); });
    only = !waves && std::filesystem::is_regular_file(path) &&
           (TextGridReader::recognises(path) || find_grid_density(path) || recognises_berkeleygw_density(path) ||
            !find_charge_density(path).empty());
  });
  return only;
}

void require_density(const OrbitalHeader& header) {
  require(header.density_components > 0, Fault::bad_argument, "{} contains no density: compute one from the bands",
          header.path);
}

Density read_density(const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  Density empty{.comm = WaveFile::Body::of(file).comm};
  together(empty.comm, [&] {
    require_density(h);
    empty.crystal = h.crystal;
    empty.grid = h.grid;
    empty.cutoff = h.density_cutoff;
    empty.half_sphere = h.half_sphere;
  });
  return read_density(h.path, cast({empty, h.density_components}));
}

}  // namespace seiche
