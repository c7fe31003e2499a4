// SPDX-License-Identifier: BSD-3-Clause
#include "files/density_file/text_grid.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "containers/text_words.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/density_file/castep_grid.hpp"
#include "files/density_file/grid_file.hpp"
#include "files/density_file/vasp_grid.hpp"
#include "files/vasp/beside.hpp"
#include "seiche/density.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"
#include "support/text_number.hpp"

namespace seiche {

namespace {

constexpr double angstrom = 1 / bohr_in_angstrom;
constexpr std::int64_t most_atoms = 1'000'000, most_components = 1000, most_elements = 118;

/// Returns the number at the start of the rest of a line, or 1.
std::int64_t number_or_one(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const double number = take_number(line).value_or(1);
  return number <= most_components ? std::llround(number) : 0;
}

/// Returns the grid points from the origin of the lattice to the first point of a file, 0 to n - 1 along each axis.
std::array<std::int64_t, 3> points_to(const std::string& path, const TextGridHead& head, const Vector3& origin) {
  constexpr double a_point = 0.01;  // files contain a few digits only
  const std::array<std::int64_t, 3> shape{head.grid.nx, head.grid.ny, head.grid.nz};
  const Vector3 place = fractional(head.crystal, origin);
  std::array<std::int64_t, 3> shift{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto n = static_cast<double>(shape[i]);
    const double points = (place[i] - std::floor(place[i])) * n;
    require(std::abs(points - std::round(points)) < a_point, Fault::unsupported,
            "{}: the first point is {:.3f} grid steps from the origin along axis {}, which is not an integer: shift "
            "the origin of the grid and the atoms",
            path, place[i] * n, i + 1);
    shift[i] = std::llround(points) % shape[i];
  }
  return shift;
}

bool begins_grid(std::string_view word) {
  return word.starts_with("BEGIN_DATAGRID_3D") || word.starts_with("DATAGRID_3D");
}

/// Whether a line has exactly these words, each followed by a blank.
bool has_words(std::string_view line, const std::string& wanted) {
  constexpr std::size_t longest = 80;  // skips lines of values quickly
  if (line.size() > longest) return false;
  std::istringstream words{std::string(line)};
  std::string found;
  for (std::string word; words >> word;) found += word + ' ';
  return found == wanted;
}

}  // namespace

bool TextGridReader::recognises(const std::string& path) {
  return std::filesystem::is_regular_file(path) &&
         (is_cube(path) || ending_of(path) == ".xsf" || vasp_grid_named(path) || castep_grid_named(path));
}

TextGridReader::TextGridReader(const std::string& path) : path_(path), words_(std::make_unique<TextWords>(path)) {
  head_.crystal.operations = {identity_operation()};
  head_.units = unknown_units + std::filesystem::path(path).filename().string();
  if (vasp_grid_named(path)) {
    read_vasp_head();
  } else if (castep_grid_named(path)) {
    read_castep_head();
  } else if (is_cube(path)) {
    read_cube_head();
  } else {
    read_xsf_head();
  }
  settle();
}
TextGridReader::~TextGridReader() = default;

/// Sets common members of all formats.
void TextGridReader::settle() {
  const GridShape& grid = head_.grid;
  require(plausible(grid), Fault::bad_file,
          "{}: invalid grid ({} x {} x {} points): rerun the code that wrote the file", path_, grid.nx, grid.ny,
          grid.nz);
  require(head_.components > 0 && head_.components <= most_components &&
              grid.volume() * head_.components <= words_->file_size(),
          Fault::bad_file, "{}: truncated: {} values at each of {} x {} x {} points do not fit: copy it again", path_,
          head_.components, grid.nx, grid.ny, grid.nz);
  require_volume(path_, head_.crystal);
  shift_ = points_to(path_, head_, frame_.origin);
}

/// Reads two comment lines; number of atoms, first point, values per point; the grid; atoms; numbers of orbitals.
void TextGridReader::read_cube_head() {
  kind_ = Kind::cube;
  order_ = {0, 1, 2};
  words_->line();
  if (words_->line().starts_with(electrons_per_volume)) head_.units = electrons_per_volume;
  const std::int64_t atoms = words_->integer(most_atoms);
  frame_.origin = words_->vector();
  head_.components = number_or_one(words_->line());
  const double unit = read_cube_lengths();
  read_cube_atoms(std::abs(atoms), unit);
  if (atoms >= 0) return;
  const std::int64_t orbitals = words_->integer(most_components);
  require(head_.components == 1 || head_.components == orbitals, Fault::unsupported,
          "{} has {} values per point and {} orbitals: write one value per orbital", path_, head_.components, orbitals);
  head_.components = orbitals;
  for (std::int64_t n = 0; n < orbitals; ++n) words_->number();
}

/// Reads counts and steps along each axis. \return the unit of lengths, angstrom for negative counts
double TextGridReader::read_cube_lengths() {
  std::array<std::int64_t, 3>& points = frame_.points;
  for (std::size_t i = 0; i < 3; ++i) {
    points[i] = words_->integer(most_atoms);
    frame_.spans[i] = words_->vector();
    words_->line();
  }
  const auto negative = std::count_if(points.begin(), points.end(), [](std::int64_t n) { return n < 0; });
  require(negative == 0 || negative == 3, Fault::unsupported,
          "{}: the numbers of points ({}, {} and {}) have different signs: make all negative for lengths in angstrom, "
          "else none",
          path_, points[0], points[1], points[2]);
  const double unit = negative == 0 ? 1 : angstrom;
  for (std::size_t i = 0; i < 3; ++i) {
    points[i] = std::abs(points[i]);
    frame_.origin[i] *= unit;
    for (double& x : frame_.spans[i]) x *= unit * static_cast<double>(points[i]);
  }
  head_.grid = {points[0], points[1], points[2]};
  head_.crystal.lattice = frame_.spans;
  return unit;
}

void TextGridReader::read_cube_atoms(std::int64_t atoms, double unit) {
  for (std::int64_t n = 0; n < atoms; ++n) {
    const auto number = static_cast<int>(words_->integer(most_atoms));
    words_->number();  // charge of the core
    Atom& atom = head_.crystal.atoms.emplace_back(Atom{symbol_of(number), words_->vector()});
    for (double& x : atom.position) x *= unit;
    words_->line();
  }
}

/// Reads keywords with their numbers; lengths in angstrom.
void TextGridReader::read_xsf_head() {
  kind_ = Kind::xsf;
  order_ = {2, 1, 0};
  std::array<Vector3, 3> cell{};
  for (std::string word; !begins_grid(word);) {
    require(!words_->ended(), Fault::unsupported, "{} holds no values on a three-dimensional grid", path_);
    word = words_->word();
    require(word != "ATOMS" && word != "MOLECULE", Fault::unsupported,
            "{} is not periodic: write an .xsf with CRYSTAL, SLAB or POLYMER", path_);
    if (word.front() == '#') {
      if (words_->line().ends_with(electrons_per_volume)) head_.units = electrons_per_volume;
    } else if (word == "PRIMVEC") {
      for (Vector3& row : cell) row = read_angstrom();
    } else if (word == "PRIMCOORD") {
      read_xsf_atoms();
    }
  }
  frame_ = read_xsf_frame();
  set_xsf_grid(cell);
}

void TextGridReader::read_xsf_atoms() {
  const std::int64_t atoms = words_->integer(most_atoms);
  words_->line();
  for (std::int64_t n = 0; n < atoms; ++n) {
    const std::string kind(words_->word());
    const bool named = std::isalpha(static_cast<unsigned char>(kind.front())) != 0;
    const std::int64_t number = named ? 0 : integer_in(kind).value_or(0);
    const bool known = number > 0 && number <= most_elements;
    head_.crystal.atoms.push_back(
        {named ? element_of(kind) : symbol_of(known ? static_cast<int>(number) : 0), read_angstrom()});
    words_->line();
  }
}

Vector3 TextGridReader::read_angstrom() {
  Vector3 place = words_->vector();
  for (double& x : place) x *= angstrom;
  return place;
}

TextGridReader::Frame TextGridReader::read_xsf_frame() {
  Frame frame;
  for (std::int64_t& n : frame.points) n = words_->integer(most_atoms);
  frame.origin = read_angstrom();
  for (Vector3& span : frame.spans) span = read_angstrom();
  return frame;
}

/// The grid of a file spans the cell, and its last points repeat the first ones. Some programs omit these, so that the
/// grid spans one step less.
void TextGridReader::set_xsf_grid(const std::array<Vector3, 3>& cell) {
  constexpr double same_cell = 1e-4;
  const std::array<std::int64_t, 3>& points = frame_.points;
  std::array<Vector3, 3> a_step_less = cell;
  for (std::size_t i = 0; i < 3; ++i) {
    for (double& x : a_step_less[i]) x *= 1 - 1 / static_cast<double>(points[i]);
  }
  const bool known = cell != std::array<Vector3, 3>{};
  const bool repeats = !known || nearly_same(frame_.spans, cell, same_cell);
  require(repeats || nearly_same(frame_.spans, a_step_less, same_cell), Fault::unsupported,
          "{}: the vectors of the grid differ from PRIMVEC: write it again for the primitive cell", path_);
  head_.crystal.lattice = repeats ? frame_.spans : cell;
  const std::int64_t more = repeats ? 1 : 0;
  head_.grid = {points[0] - more, points[1] - more, points[2] - more};
}

/// Reads a POSCAR and the dimensions of the grid. Densities are values per whole cell.
void TextGridReader::read_vasp_head() {
  kind_ = Kind::vasp;
  order_ = {2, 1, 0};
  const Poscar poscar = read_poscar_head(path_);
  head_.crystal.lattice = poscar.crystal.lattice;
  head_.crystal.atoms = poscar.crystal.atoms;
  for (int n = 0; n < poscar.lines; ++n) words_->line();
  require(!words_->ended(), Fault::unsupported, "{} holds cell and atoms, but no values on a grid", path_);
  for (std::int64_t& n : frame_.points) n = words_->integer(most_atoms);
  const VaspGrid quantity = *vasp_grid_named(path_);
  head_.units = units_of(quantity);
  head_.complete = true;
  head_.grid = {frame_.points[0], frame_.points[1], frame_.points[2]};
  if (quantity == VaspGrid::density) scale_ = 1 / head_.crystal.volume();
  of_spins_ = quantity == VaspGrid::potential;
}

void TextGridReader::skip_to_line_with(const std::string& text) {
  while (!words_->ended()) {
    if (words_->line().find(text) != std::string::npos) return;
  }
  fail(Fault::bad_file, "{}: no line has '{}': the file is truncated or has another format", path_, text);
}

/// Reads the cell in angstrom, the number of spins and the grid. Values of all spins follow.
void TextGridReader::read_castep_head() {
  kind_ = Kind::castep;
  skip_to_line_with("Real Lattice(A)");
  for (Vector3& a : head_.crystal.lattice) {
    a = read_angstrom();
    words_->line();  // its length and an angle
  }
  head_.components = words_->integer(most_components);
  const std::string flag = words_->line();  // T for spinors; older files have none
  const std::size_t first = std::min(flag.find_first_not_of(" \t"), flag.size());
  require(head_.components <= 2 && !flag.substr(first).starts_with('T'), Fault::unsupported,
          "{}: the order of spinor components in CASTEP files is not supported: use another file", path_);
  for (std::int64_t& n : frame_.points) n = words_->integer(most_atoms);
  skip_to_line_with("END header");
  const CastepGrid quantity = *castep_grid_named(path_);
  head_.units = units_of(quantity);
  head_.complete = true;
  head_.grid = {frame_.points[0], frame_.points[1], frame_.points[2]};
  if (quantity == CastepGrid::density) scale_ = 1 / head_.crystal.volume();
  of_spins_ = quantity == CastepGrid::potential;
}

/// Moves to the next block of values in this file, if there is one.
bool TextGridReader::advance() {
  if (kind_ == Kind::cube || kind_ == Kind::castep) return false;
  return kind_ == Kind::xsf ? advance_xsf() : advance_vasp();
}

bool TextGridReader::advance_xsf() {
  while (!words_->ended()) {
    if (!begins_grid(words_->line_ahead())) {
      words_->line();
      continue;
    }
    words_->word();
    const Frame frame = read_xsf_frame();
    require(frame.points == frame_.points && frame.origin == frame_.origin && frame.spans == frame_.spans,
            Fault::unsupported, "{} holds several different grids: keep one of them in the file", path_);
    return true;
  }
  return false;
}

/// Between two blocks there may be other data, such as augmentation occupancies and moments, as many as the dimensions
/// require.
bool TextGridReader::advance_vasp() {
  const auto& points = frame_.points;
  const std::string shape = formatted("{} {} {} ", points[0], points[1], points[2]);
  while (!words_->ended()) {
    if (!has_words(words_->line(), shape)) continue;
    while (!words_->ended() && has_words(words_->line_ahead(), shape)) words_->line();
    return true;
  }
  return false;
}

std::vector<std::vector<double>> TextGridReader::read(const Box& box) {
  std::vector<std::vector<double>> components;
  do kind_ == Kind::castep ? read_points(box, components) : read_block(box, components);
  while (advance());
  if (of_spins_ && components.size() == 2) sums_and_differences(components[0], components[1], 0.5);
  return components;
}

std::int64_t TextGridReader::count() {
  std::int64_t components = head_.components;
  while (advance()) components += head_.components;
  require(!of_spins_ || components <= 2, Fault::unsupported,
          "{} has {} blocks: the order of spinor potentials in VASP files is not supported", path_, components);
  return components;
}

/// Returns the index in a box for each point along an axis of the file, or -1.
std::vector<std::int64_t> TextGridReader::places_in(const Range& range, std::size_t axis) const {
  const std::int64_t n = std::array{head_.grid.nx, head_.grid.ny, head_.grid.nz}[axis];
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < frame_.points[axis]; ++i) {
    const std::int64_t place = (i + shift_[axis]) % n;
    const bool inside = i < n && place >= range.low && place < range.high;
    places.push_back(inside ? place - range.low : -1);
  }
  return places;
}

/// Returns the indices of a point, from 0.
std::array<std::int64_t, 3> TextGridReader::read_point() {
  std::array<std::int64_t, 3> at{};
  for (std::size_t i = 0; i < 3; ++i) {
    at[i] = words_->integer(frame_.points[i]) - 1;
    require(at[i] >= 0, Fault::bad_file,
            "{}: a point has the index {} on axis {}, but indices begin at 1: write the file again", path_, at[i] + 1,
            i + 1);
  }
  return at;
}

/// Each point has its indices, in any order. Other data may follow all points.
void TextGridReader::read_points(const Box& box, std::vector<std::vector<double>>& components) {
  const GridShape& grid = head_.grid;
  components.assign(size_of(head_.components), std::vector<double>(size_of(box.volume())));
  std::vector<bool> known(size_of(grid.volume()));
  for (std::int64_t n = 0; n < grid.volume(); ++n) {
    const auto [x, y, z] = read_point();
    std::vector<bool>::reference seen = known[size_of((z * grid.ny + y) * grid.nx + x)];
    require(!seen, Fault::bad_file, "{}: the point {} {} {} has two lines: write the file again", path_, x + 1, y + 1,
            z + 1);
    seen = true;
    const auto& [ax, ay, az] = box.axis;
    const bool inside = x >= ax.low && x < ax.high && y >= ay.low && y < ay.high && z >= az.low && z < az.high;
    for (auto& values : components) {
      const double value = words_->number();
      if (inside) dense_view(values.data(), box)(x - ax.low, y - ay.low, z - az.low) = value * scale_;
    }
  }
}

/// Values of one point are consecutive.
void TextGridReader::read_block(const Box& box, std::vector<std::vector<double>>& components) {
  const std::array places{places_in(box.axis[0], 0), places_in(box.axis[1], 1), places_in(box.axis[2], 2)};
  const std::size_t first = components.size();
  components.resize(first + size_of(head_.components), std::vector<double>(size_of(box.volume())));
  const auto [slow, middle, fast] = order_;
  std::array<std::int64_t, 3> at{};
  for (const std::int64_t a : places[slow]) {
    at[slow] = a;
    for (const std::int64_t b : places[middle]) {
      at[middle] = b;
      for (const std::int64_t c : places[fast]) {
        at[fast] = c;
        const bool inside = a >= 0 && b >= 0 && c >= 0;
        for (std::size_t n = first; n < components.size(); ++n) {
          const double value = words_->number();
          if (inside) dense_view(components[n].data(), box)(at[0], at[1], at[2]) = value * scale_;
        }
      }
    }
  }
  require(kind_ == Kind::vasp || !words_->number_follows(), Fault::bad_file,
          "{}: more values follow than {} x {} x {} points with {} each: check that the header belongs to this file",
          path_, frame_.points[0], frame_.points[1], frame_.points[2], head_.components);
}

}  // namespace seiche
