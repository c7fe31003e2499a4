// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads densities that codes wrote: as plane-wave components, as values on a grid, and .cube files.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "comm/agree.hpp"
#include "seiche/communicator.hpp"
#include "seiche/density.hpp"
#include "support/require.hpp"
#include "wavefile/archive.hpp"
#include "wavefile/grid_density.hpp"
#include "wavefile/grid_file.hpp"
#include "wavefile/quantum_espresso.hpp"
#include "wavefile/wavefile_body.hpp"
#include "waves/crystal.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr double same_cell = 1e-6;  // relative; files give cells with 6 digits or more

void require_components(const std::string& path, std::size_t found, std::size_t wanted) {
  require(found == wanted, Fault::bad_argument,
          "{} holds {} component(s) of a density, but {} are needed here; is it of the same kind of run?", path, found,
          wanted);
}

/// Vectors given by a file against those of a crystal.
void require_same(const std::string& path, const std::array<Vector3, 3>& found, const std::array<Vector3, 3>& wanted) {
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      difference = std::max(difference, std::abs(found[i][j] - wanted[i][j]));
      length = std::max(length, std::abs(wanted[i][j]));
    }
  }
  require(difference <= same_cell * length, Fault::bad_argument,
          "{} belongs to another cell; give a density of the same crystal", path);
}

/// This rank's share of a charge-density file: of each pair G, -G one wave.
struct Share {
  std::vector<Miller> waves;
  std::vector<std::vector<Complex>> components;
};

Share read_share(const ChargeDensityTable& table, std::size_t components, Range mine) {
  const auto count = static_cast<std::size_t>(mine.size());
  const std::vector<Miller> waves = read_waves(table.waves, mine);
  const auto kept = [&](const Miller& g) { return table.half_sphere || in_half(g); };
  Share share;
  std::copy_if(waves.begin(), waves.end(), std::back_inserter(share.waves), kept);
  std::vector<Complex> values(count);
  for (std::size_t c = 0; c < components; ++c) {
    const Extent& extent = table.components[c];
    const File file(extent.path);
    read_extent(file, extent, {2 * mine.low, 2 * mine.high},
                std::span(reinterpret_cast<double*>(values.data()), 2 * count));
    auto& component = share.components.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      require(std::isfinite(values[i].real()) && std::isfinite(values[i].imag()), Fault::bad_file,
              "{}: wave {} has a value that is not a number; rerun the code that wrote it", file.path(), i + 1);
      if (kept(waves[i])) component.push_back(values[i]);
    }
  }
  return share;
}

Density read_charge_density(const Communicator& comm, const std::string& path, const Density& like,
                            const FftOptions& options) {
  ChargeDensityTable table;
  found_by_root(comm, table, [&] {
    table = locate_charge_density(path);
    require_same(path, table.reciprocal, like.crystal.reciprocal());
    require_components(path, table.components.size(), like.components.size());
  });
  Share share;
  together(comm,
           [&] { share = read_share(table, like.components.size(), block(table.count, comm.size(), comm.rank())); });
  SphereFft<double> fft(comm.get(), like.grid, share.waves, options);
  together(comm, [&] {
    require(fft.grid_box() == like.box, Fault::bad_argument,
            "{} has to be read with the options of the density that it is compared with", path);
  });
  Density density = like;
  for (std::size_t c = 0; c < like.components.size(); ++c) fft.to_grid(share.components[c], density.components[c]);
  return density;
}

/// The words of a text file, one after the other, in little memory.
class Words {
 public:
  explicit Words(const std::string& path) : file_(path) {}

  double number() {
    const std::string_view word = next();
    double value = 0;
    const auto begin = word.data() + (word.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    require(error == std::errc() && end == word.data() + word.size() && std::isfinite(value), Fault::bad_file,
            "{}: '{}' near byte {} is not a number; is it a .cube file?", file_.path(), word, start_ + at_);
    return value;
  }
  std::int64_t integer() { return std::llround(number()); }
  void skip_line() {
    while (true) {
      fill(1);
      if (text_[at_++] == '\n') return;
    }
  }

 private:
  std::string_view next() {
    do fill(1);
    while (std::isspace(static_cast<unsigned char>(text_[at_])) && ++at_);
    fill(64);
    std::size_t end = at_;
    while (end < text_.size() && !std::isspace(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string_view word(text_.data() + at_, end - at_);
    at_ = end;
    return word;
  }
  /// Has at least `bytes` ahead, or all that the file still has; at least one.
  void fill(std::size_t bytes) {
    if (text_.size() - at_ >= bytes) return;
    const std::int64_t read = start_ + static_cast<std::int64_t>(text_.size());
    const auto more = static_cast<std::size_t>(std::clamp<std::int64_t>(file_.size() - read, 0, 1 << 20));
    start_ += static_cast<std::int64_t>(at_);
    text_.erase(0, at_);
    at_ = 0;
    const std::size_t kept = text_.size();
    text_.resize(kept + more);
    file_.read(read, std::as_writable_bytes(std::span(text_).subspan(kept)));
    require(!text_.empty(), Fault::bad_file, "{}: truncated: the file ends too early; copy it again", file_.path());
  }

  File file_;
  std::string text_;        // a window of the file
  std::int64_t start_ = 0;  // where in the file the window begins
  std::size_t at_ = 0;      // next byte, within the window
};

void check_cube_head(Words& words, const std::string& path, const Density& like) {
  words.skip_line();
  words.skip_line();
  const std::int64_t atoms = words.integer();
  for (int i = 0; i < 3; ++i) words.number();
  const std::array<std::int64_t, 3> shape{like.grid.nx, like.grid.ny, like.grid.nz};
  std::array<Vector3, 3> lattice{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t points = words.integer();
    require(points == shape[i], Fault::bad_argument, "{} has {} grid points along axis {}, not {}; use the same grid",
            path, points, i + 1, shape[i]);
    for (double& x : lattice[i]) x = words.number() * static_cast<double>(points);
  }
  // Many programs write the steps of the grid with 6 decimals only.
  double difference = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      difference =
          std::max(difference, std::abs(lattice[i][j] - like.crystal.lattice[i][j]) / static_cast<double>(shape[i]));
    }
  }
  require(difference <= 1e-5, Fault::bad_argument, "{} belongs to another cell; give a density of the same crystal",
          path);
  words.skip_line();
  for (std::int64_t i = 0; i < std::abs(atoms); ++i) words.skip_line();
}

/// Every rank reads the text and keeps its own box: no other way knows where a value of another program's text begins.
std::vector<double> read_cube(const std::string& path, const Density& like) {
  Words words(path);
  check_cube_head(words, path, like);
  const auto inside = [](const Range& range, std::int64_t i) { return i >= range.low && i < range.high; };
  const auto& axis = like.box.axis;
  std::vector<double> values(static_cast<std::size_t>(like.box.volume()));
  const auto view = dense_view(values.data(), like.box);
  for (std::int64_t x = 0; x < like.grid.nx; ++x) {
    for (std::int64_t y = 0; y < like.grid.ny; ++y) {
      for (std::int64_t z = 0; z < like.grid.nz; ++z) {
        const double value = words.number();
        if (!inside(axis[0], x) || !inside(axis[1], y) || !inside(axis[2], z)) continue;
        view(x - axis[0].low, y - axis[1].low, z - axis[2].low) = value;
      }
    }
  }
  return values;
}

/// The total, and the magnetisation where write_density's files of it lie beside.
Density read_cubes(const Communicator& comm, const std::string& path, const Density& like) {
  Density density{like.crystal, like.grid, like.box, {}};
  together(comm, [&] {
    auto paths = component_paths(path, like.components.size());
    const bool all = std::all_of(paths.begin(), paths.end(), [](const auto& p) { return std::filesystem::exists(p); });
    if (!all) paths.resize(1);
    for (const std::string& part : paths) density.components.push_back(read_cube(part, like));
  });
  return density;
}

/// A density on a grid, each rank its own box.
Density read_grid(const Communicator& comm, GridDensityTable table, const Density& like) {
  const std::string& path = table.first.path;
  Density density = like;
  together(comm, [&] {
    require_same(path, table.lattice, like.crystal.lattice);
    require(table.grid == like.grid, Fault::bad_argument,
            "{} has {} x {} x {} points, not {} x {} x {}; use the same grid", path, table.grid.nx, table.grid.ny,
            table.grid.nz, like.grid.nx, like.grid.ny, like.grid.nz);
    require_components(path, static_cast<std::size_t>(table.components), like.components.size());
    density.components = read_grid_density(table, like.box);
  });
  return density;
}

/// What kind of density a file holds, found by one rank.
struct Found {
  std::string charge_density;
  bool on_grid = false;
  GridDensityTable grid;
};

Found find_density(const std::string& path) {
  require(std::filesystem::exists(path), Fault::bad_file, "cannot find {}; check the name", path);
  Found found;
  if (const auto grid = find_grid_density(path)) {
    found.on_grid = true;
    found.grid = *grid;
    return found;
  }
  found.charge_density = find_charge_density(path);
  require(!found.charge_density.empty() || std::filesystem::path(path).extension() == ".cube", Fault::bad_file,
          "{} is no density of a known kind; give a Quantum ESPRESSO .save or charge-density file, a CASTEP .check, an "
          "ABINIT DEN or DEN.nc, an .h5 of seiche density, or a .cube",
          path);
  return found;
}

void describe(Archive& archive, Found& found) { archive(found.charge_density, found.on_grid, found.grid); }

}  // namespace

Density read_density(MPI_Comm theirs, const std::string& path, const Density& like, const FftOptions& options) {
  const Communicator comm = Communicator::duplicate(theirs);
  Found found;
  found_by_root(comm, found, [&] { found = find_density(path); });
  if (found.on_grid) return read_grid(comm, found.grid, like);
  return found.charge_density.empty() ? read_cubes(comm, path, like)
                                      : read_charge_density(comm, found.charge_density, like, options);
}

void require_density(const WaveHeader& header) {
  require(header.density_components > 0, Fault::bad_argument,
          "{} has no density beside its waves; make one with seiche density", header.path);
}

Density read_density(const WaveFile& file) {
  const WaveHeader& h = file.header();
  const Communicator& comm = file.body().comm;
  require_density(h);
  const FftOptions options{.reproducible = true};
  Density like{h.crystal, h.grid,           SphereFft<double>(comm.get(), h.grid, {}, options).grid_box(),
               {},        h.density_cutoff, h.half_sphere};
  like.components.resize(static_cast<std::size_t>(h.density_components));
  for (auto& component : like.components) component.resize(static_cast<std::size_t>(like.box.volume()));
  return read_density(comm.get(), h.path, like, options);
}

}  // namespace seiche
