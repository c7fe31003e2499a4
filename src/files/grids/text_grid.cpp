// SPDX-License-Identifier: BSD-3-Clause
#include "files/grids/text_grid.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "crystal/complete_header.hpp"
#include "crystal/crystal.hpp"
#include "files/containers/extents.hpp"
#include "files/grids/grid_file.hpp"
#include "files/grids/vasp_grid.hpp"
#include "files/vasp/beside.hpp"
#include "seiche/density.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

constexpr double angstrom = 1 / bohr_in_angstrom;
constexpr std::int64_t most_atoms = 1'000'000;

}  // namespace

/// The words of a text file, one after the other, in little memory.
class TextGridReader::Words {
 public:
  explicit Words(const std::string& path) : file_(path) {}

  std::string_view word() {
    do fill(1);
    while (std::isspace(static_cast<unsigned char>(text_[at_])) && ++at_);
    fill(64);
    std::size_t end = at_;
    while (end < text_.size() && !std::isspace(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string_view word(text_.data() + at_, end - at_);
    at_ = end;
    return word;
  }
  double number() {
    const std::string_view text = word();
    double value = 0;
    const auto begin = text.data() + (text.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size() && std::isfinite(value), Fault::bad_file,
            "{}: '{}' near byte {} is not a number; is it a file of this kind?", file_.path(), text.substr(0, 40),
            start_ + at_);
    return value;
  }
  std::int64_t integer(std::int64_t limit) {
    const double value = number();
    require(std::abs(value) <= static_cast<double>(limit), Fault::bad_file,
            "{}: {} near byte {} cannot be a number of "
            "anything; the file is damaged, copy it again",
            file_.path(), value, start_ + at_);
    return std::llround(value);
  }
  Vector3 vector() { return {number(), number(), number()}; }
  std::string line() {
    for (std::string text;; ++at_) {
      fill(1);
      if (text_[at_] == '\n') return ++at_, text;
      text += text_[at_];
    }
  }
  bool ended() const { return at_ == text_.size() && start_ + std::ssize(text_) >= file_.size(); }
  /// Whether the rest of this line has these words and no others; goes on to the next one.
  bool line_has(const std::vector<std::string>& words) {
    std::size_t found = 0;
    bool same = true, inside = false;
    std::size_t in_word = 0;
    while (!ended()) {
      fill(1);
      const char c = text_[at_++];
      const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!blank) {
        same = same && found < words.size() && in_word < words[found].size() && words[found][in_word] == c;
        ++in_word;
      } else if (inside) {
        same = same && found < words.size() && in_word == words[found].size();
        ++found;
        in_word = 0;
      }
      inside = !blank;
      if (c == '\n') break;
    }
    return same && found == words.size();
  }

 private:
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

bool TextGridReader::recognises(const std::string& path) {
  return std::filesystem::is_regular_file(path) &&
         (ending_of(path) == ".cube" || ending_of(path) == ".xsf" || names_vasp_grid(path));
}

TextGridReader::TextGridReader(const std::string& path) : path_(path), words_(std::make_unique<Words>(path)) {
  head_.crystal.operations = {identity_operation()};
  if (names_vasp_grid(path)) {
    read_vasp_head();
  } else if (ending_of(path) == ".cube") {
    read_cube_head();
  } else {
    read_xsf_head();
  }
  require(plausible(head_.grid), Fault::bad_file, "{}: no density can have {} x {} x {} points; copy it again", path_,
          head_.grid.nx, head_.grid.ny, head_.grid.nz);
  require_volume(path_, head_.crystal);
}
TextGridReader::~TextGridReader() = default;

/// Two lines of comment; atoms and the grid's first point; points and step along each axis; atoms.
void TextGridReader::read_cube_head() {
  words_->line();
  head_.electrons = words_->line().starts_with(electrons_per_volume);
  const std::int64_t atoms = words_->integer(most_atoms);
  require(atoms >= 0, Fault::unsupported, "{} holds orbitals; only a .cube with one value at each point can be read",
          path_);
  const Vector3 origin = words_->vector();
  double unit = 1;  // bohr
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t points = words_->integer(most_atoms);
    unit = points < 0 ? angstrom : 1;
    head_.points[i] = std::abs(points);
    for (double& x : head_.crystal.lattice[i]) x = words_->number() * unit * static_cast<double>(head_.points[i]);
  }
  words_->line();
  for (std::int64_t n = 0; n < atoms; ++n) {
    const auto number = static_cast<int>(words_->integer(most_atoms));
    words_->number();  // charge of the core
    Atom& atom = head_.crystal.atoms.emplace_back(Atom{symbol_of(number), words_->vector()});
    for (std::size_t i = 0; i < 3; ++i) atom.position[i] = (atom.position[i] - origin[i]) * unit;
    words_->line();
  }
  head_.order = {0, 1, 2};
  head_.grid = {head_.points[0], head_.points[1], head_.points[2]};
}

/// Keywords, each with numbers behind it; lengths in angstrom.
void TextGridReader::read_xsf_head() {
  const auto vectors = [&](std::array<Vector3, 3>& rows) {
    for (Vector3& row : rows) {
      for (double& x : row) x = words_->number() * angstrom;
    }
  };
  std::array<Vector3, 3> cell{};
  for (std::string word(words_->word());; word = words_->word()) {
    require(word != "ATOMS" && word != "SLAB" && word != "POLYMER" && word != "MOLECULE", Fault::unsupported,
            "{} is not a crystal's; only an .xsf that says CRYSTAL can be read", path_);
    if (word.front() == '#') {
      if (words_->line().ends_with(electrons_per_volume)) head_.electrons = true;
    } else if (word == "PRIMVEC") {
      vectors(cell);
    } else if (word == "PRIMCOORD") {
      const std::int64_t atoms = words_->integer(most_atoms);
      words_->line();
      for (std::int64_t n = 0; n < atoms; ++n) {
        const std::string kind(words_->word());
        const bool named = std::isalpha(static_cast<unsigned char>(kind.front())) != 0;
        Vector3 position = words_->vector();
        for (double& x : position) x *= angstrom;
        head_.crystal.atoms.push_back({named ? element_of(kind) : symbol_of(std::atoi(kind.c_str())), position});
        words_->line();
      }
    } else if (word.starts_with("BEGIN_DATAGRID_3D") || word.starts_with("DATAGRID_3D")) {
      break;
    }
  }
  for (std::int64_t& n : head_.points) n = words_->integer(most_atoms);
  const Vector3 origin = words_->vector();
  for (Atom& atom : head_.crystal.atoms) {
    for (std::size_t i = 0; i < 3; ++i) atom.position[i] -= origin[i] * angstrom;
  }
  vectors(head_.crystal.lattice);
  if (cell != std::array<Vector3, 3>{}) {
    require(nearly_same(head_.crystal.lattice, cell, 1e-4), Fault::unsupported,
            "{}: its grid spans another cell than PRIMVEC says; write it again for the primitive cell", path_);
  }
  head_.order = {2, 1, 0};
  head_.grid = {head_.points[0] - 1, head_.points[1] - 1, head_.points[2] - 1};
}

/// A POSCAR and the shape of the grid. Values of densities are those of the whole cell.
void TextGridReader::read_vasp_head() {
  const std::vector<SymmetryOperation> operations = std::move(head_.crystal.operations);
  head_.crystal = read_poscar(path_);
  head_.crystal.operations = operations;
  constexpr std::size_t before_atoms = 8;  // lines
  for (std::size_t n = 0; n < before_atoms + head_.crystal.atoms.size(); ++n) words_->line();
  for (std::int64_t& n : head_.points) n = words_->integer(most_atoms);
  head_.electrons = !names_vasp_potential(path_);
  if (head_.electrons) head_.scale = 1 / head_.crystal.volume();
  head_.blocks = true;
  head_.order = {2, 1, 0};
  head_.grid = {head_.points[0], head_.points[1], head_.points[2]};
}

/// Between two blocks there may be anything: occupancies inside of the atoms, their moments.
bool TextGridReader::advance() {
  if (!head_.blocks) return false;
  const std::vector<std::string> shape{std::to_string(head_.points[0]), std::to_string(head_.points[1]),
                                       std::to_string(head_.points[2])};
  while (!words_->ended()) {
    if (words_->line_has(shape)) return true;
  }
  return false;
}

std::vector<double> TextGridReader::read(const Box& box) {
  const std::array<std::int64_t, 3> shape{head_.grid.nx, head_.grid.ny, head_.grid.nz};
  std::vector<double> values(static_cast<std::size_t>(box.volume()));
  const auto view = dense_view(values.data(), box);
  const auto wanted = [&](std::size_t axis, std::int64_t i) {
    return i < shape[axis] && i >= box.axis[axis].low && i < box.axis[axis].high;
  };
  std::array<std::int64_t, 3> i{};
  const auto [slow, middle, fast] = head_.order;
  for (i[slow] = 0; i[slow] < head_.points[slow]; ++i[slow]) {
    for (i[middle] = 0; i[middle] < head_.points[middle]; ++i[middle]) {
      for (i[fast] = 0; i[fast] < head_.points[fast]; ++i[fast]) {
        const double value = words_->number();
        if (!wanted(0, i[0]) || !wanted(1, i[1]) || !wanted(2, i[2])) continue;
        view(i[0] - box.axis[0].low, i[1] - box.axis[1].low, i[2] - box.axis[2].low) = value * head_.scale;
      }
    }
  }
  return values;
}

}  // namespace seiche
