// SPDX-License-Identifier: BSD-3-Clause
#include "files/vasp/beside.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>

#include "comm/equal_arguments.hpp"
#include "containers/output_file.hpp"
#include "containers/xml.hpp"
#include "crystal/complete_header.hpp"
#include "crystal/lattice.hpp"
#include "files/vasp/units.hpp"
#include "support/packed.hpp"
#include "support/require.hpp"
#include "support/small_letters.hpp"
#include "support/text_number.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

/// Opening a pipe would wait for its writer.
void require_file(const std::string& path) {
  require(std::filesystem::is_regular_file(path) && std::ifstream(path), Fault::bad_file,
          "cannot read {}: check that it is a file", path);
  require_unpacked(path);
}

/// A text file by lines, each split into words. A word that begins with ! or # starts a comment.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {}
  std::vector<std::string> next(const char* what) {
    std::string line;
    ++number_;
    require(static_cast<bool>(std::getline(file_, line)), Fault::bad_file, "{}: the file ends before {}: copy it again",
            path_, what);
    std::istringstream words(line);
    std::vector<std::string> list;
    for (std::string word; words >> word && word[0] != '!' && word[0] != '#';) list.push_back(word);
    return list;
  }
  /// Returns `count` numbers at the start of the next line, which need no blanks between them.
  std::vector<double> numbers(std::size_t count, const char* what) {
    const auto words = next(what);
    std::vector<double> values = leading_numbers(words);
    if (values.size() < count) refuse(values.size() < words.size() ? words[values.size()] : "", what);
    values.resize(count);
    return values;
  }
  /// Returns the numbers before the first other word.
  static std::vector<double> leading_numbers(const std::vector<std::string>& words) {
    constexpr double most = 1e9;
    std::vector<double> values;
    for (std::string_view word : words) {
      while (!word.empty()) {
        const auto value = take_number(word);
        if (!value || std::abs(*value) >= most) return values;
        values.push_back(*value);
      }
    }
    return values;
  }
  std::int64_t count(const std::string& word, const char* what) const {
    const auto values = leading_numbers({word});
    if (values.size() != 1 || values[0] < 0 || values[0] >= 1e6 || values[0] != std::floor(values[0])) {
      refuse(word, what);
    }
    return static_cast<std::int64_t>(values[0]);
  }
  [[noreturn]] void refuse(const std::string& word, const char* what) const {
    fail(Fault::bad_file, "{}, line {}: found '{}' instead of {}: check that it is a file of VASP", path_, number_,
         shortened(word), what);
  }
  const std::string& path() const { return path_; }
  int number() const { return number_; }

 private:
  std::string path_;
  std::ifstream file_;
  int number_ = 0;
};

char first_letter(const std::vector<std::string>& words) {
  return words.empty() ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(words[0][0])));
}

/// Reads one factor, or a volume as a negative number, or a factor for each axis; converts angstrom to bohr.
Vector3 factors_of(Lines& lines, std::array<Vector3, 3>& lattice) {
  const auto words = lines.next("the scale of the cell");
  const auto scales = Lines::leading_numbers(words);
  if (scales.empty()) lines.refuse(words.empty() ? "" : words[0], "the scale");
  const bool axes = scales.size() == 3 && std::all_of(scales.begin(), scales.end(), [](double s) { return s > 0; });
  require(scales.size() == 1 || axes, Fault::bad_file,
          "{}: the scale of the cell has {} numbers: give one, or three positive ones", lines.path(), scales.size());
  Vector3 factor{};
  for (std::size_t i = 0; i < 3; ++i) factor[i] = scales[axes ? i : 0];
  for (Vector3& row : lattice) {
    const auto numbers = lines.numbers(3, "a lattice vector");
    std::copy(numbers.begin(), numbers.end(), row.begin());
  }
  if (factor[0] < 0) {
    const double volume = std::abs(Crystal{lattice, {}, {}}.volume());
    factor.fill(std::cbrt(-factor[0] / volume));
  }
  for (double& f : factor) f /= vasp::bohr;
  for (Vector3& row : lattice) {
    for (std::size_t i = 0; i < 3; ++i) row[i] *= factor[i];
  }
  return factor;
}

/// Returns the element of each atom.
std::vector<std::string> read_symbols(Lines& lines) {
  const auto names = lines.next("the elements");
  require(!names.empty() && std::isalpha(static_cast<unsigned char>(names[0][0])) != 0, Fault::bad_file,
          "{} has no line of elements before the numbers of atoms: add it as in VASP 5", lines.path());
  const auto counts = lines.next("the numbers of atoms");
  require(counts.size() >= names.size(), Fault::bad_file, "{} has {} elements but {} numbers of atoms: correct it",
          lines.path(), names.size(), counts.size());
  std::vector<std::string> symbols;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    const std::string symbol = element_of(names[kind].substr(0, names[kind].find_first_of("_/")));
    const std::int64_t count = lines.count(counts[kind], "a number of atoms");
    require_count(lines.path(), "atoms", std::ssize(symbols) + count,
                  static_cast<std::int64_t>(std::filesystem::file_size(lines.path())));
    symbols.insert(symbols.end(), static_cast<std::size_t>(count), symbol);
  }
  return symbols;
}

std::vector<KPoint> read_list(const std::string& path) {
  Lines lines(path);
  lines.next("a title");
  const auto head = lines.next("the number of k-points");
  const std::int64_t count = lines.count(head.empty() ? "" : head[0], "the number of k-points");
  const char kind = first_letter(lines.next("the kind of coordinates"));
  const bool reciprocal = kind != 'c' && kind != 'k' && kind != 'l';  // VASP accepts other words for "reciprocal"
  require(
      count > 0 && reciprocal, Fault::bad_file,
      "{} does not list k-points in reciprocal coordinates with weights: give the IBZKPT of VASP, or the vasprun.xml",
      path);
  std::vector<KPoint> kpoints;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto x = lines.numbers(4, "a k-point and its weight");
    kpoints.push_back({{x[0], x[1], x[2]}, x[3], 0});
  }
  return kpoints;
}

std::vector<KPoint> read_vasprun(const std::string& path) {
  pugi::xml_document document;
  const auto parsed = document.load_file(path.c_str());
  require(static_cast<bool>(parsed), Fault::bad_file, "{}: {} at byte {}; the file may be truncated: copy it again",
          path, parsed.description(), parsed.offset);
  const auto list = [&](const char* name) {
    const pugi::xml_node found =
        document.child("modeling").child("kpoints").find_child_by_attribute("varray", "name", name);
    require(static_cast<bool>(found), Fault::bad_file, "{} has no {}: check that it is a vasprun.xml", path, name);
    return XmlElement(found, path + ": " + name).all("v");
  };
  const auto points = list("kpointlist"), weights = list("weights");
  require(points.size() == weights.size(), Fault::bad_file,
          "{} has {} k-points but {} weights: rerun the code that wrote the file", path, points.size(), weights.size());
  std::vector<KPoint> kpoints;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto x = points[k].numbers(3);
    kpoints.push_back({{x[0], x[1], x[2]}, weights[k].number(), 0});
  }
  return kpoints;
}

std::string kpoints_of(const OrbitalHeader& header) {
  std::string text = formatted("written by Seiche\n{:8d}\nReciprocal\n", header.kpoints.size());
  for (const KPoint& point : header.kpoints) {
    text += formatted("{:20.16f} {:20.16f} {:20.16f} {:.16e}\n", point.k[0], point.k[1], point.k[2], point.weight);
  }
  return text;
}

/// Returns the name of a file beside a WAVECAR: POSCAR beside WAVECAR, silicon.POSCAR beside silicon.wavecar.
std::string named_beside(const std::string& wavecar, const char* name) {
  const std::filesystem::path path(wavecar);
  const bool plain = in_small_letters(path.filename().string()) == "wavecar";
  return (path.parent_path() / (plain ? name : path.stem().string() + "." + name)).string();
}

/// Collective. Returns whether the file was written: not if it exists.
bool write_new(const Communicator& comm, const std::string& path, const std::string& text) {
  std::int64_t exists = 0;
  on_root(comm, [&] { exists = std::filesystem::exists(path) ? 1 : 0; });
  if (sum(comm, exists) > 0) return false;
  OutputFile output(comm, path);
  on_root(comm, [&] {
    const File file(output.temporary(), File::Mode::write);
    file.write(0, std::as_bytes(std::span(text)));
    file.flush();
  });
  output.commit();
  return true;
}

}  // namespace

std::vector<std::string> write_beside_wavecar(const Communicator& comm, const OrbitalHeader& header,
                                              const std::string& path) {
  together(comm, "write_beside_wavecar", [&](EqualArguments& same) { same.add("path", path); });
  std::vector<std::string> written;
  const std::string poscar = named_beside(path, "POSCAR"), kpoints = named_beside(path, "KPOINTS");
  if (!header.crystal.atoms.empty() && write_new(comm, poscar, poscar_of(header.crystal))) written.push_back(poscar);
  if (header.weighted && write_new(comm, kpoints, kpoints_of(header))) written.push_back(kpoints);
  return written;
}

std::string poscar_of(const Crystal& crystal) {
  const auto vector = [](const Vector3& v, double unit) {
    return formatted("{:22.16f}{:22.16f}{:22.16f}\n", v[0] * unit, v[1] * unit, v[2] * unit);
  };
  std::string text = "written by Seiche\n   1.0\n", kinds, counts, places;
  for (const Vector3& a : crystal.lattice) text += vector(a, vasp::bohr);
  std::int64_t alike = 0;
  for (std::size_t n = 0; n < crystal.atoms.size(); ++n) {
    const Atom& atom = crystal.atoms[n];
    places += vector(fractional(crystal, atom.position), 1);
    ++alike;
    if (n + 1 < crystal.atoms.size() && crystal.atoms[n + 1].symbol == atom.symbol) continue;
    kinds += formatted("{:>5}", atom.symbol);
    counts += formatted("{:5d}", alike);
    alike = 0;
  }
  return text + kinds + '\n' + counts + "\nDirect\n" + places;
}

Poscar read_poscar_head(const std::string& path) {
  require_file(path);
  Lines lines(path);
  lines.next("a title");
  Crystal crystal;
  const Vector3 factor = factors_of(lines, crystal.lattice);
  require_volume(path, crystal);
  const auto symbols = read_symbols(lines);
  auto kind = lines.next("the kind of coordinates");
  if (first_letter(kind) == 's') kind = lines.next("the kind of coordinates");  // selective dynamics
  const bool direct = first_letter(kind) != 'c' && first_letter(kind) != 'k';
  for (const std::string& symbol : symbols) {
    const auto x = lines.numbers(3, "the position of an atom");
    const Vector3 place{x[0], x[1], x[2]};
    const Vector3 scaled{x[0] * factor[0], x[1] * factor[1], x[2] * factor[2]};
    crystal.atoms.push_back({symbol, direct ? cartesian(crystal, place) : scaled});
  }
  return {crystal, lines.number()};
}

Crystal read_poscar(const std::string& path) { return read_poscar_head(path).crystal; }

std::vector<KPoint> read_vasp_kpoints(const std::string& path) {
  require_file(path);
  std::string start;
  std::ifstream(path) >> start;
  auto kpoints = start.starts_with("<?xml") || start.starts_with("<modeling") ? read_vasprun(path) : read_list(path);
  double sum = 0;
  for (const KPoint& k : kpoints) sum += k.weight;
  require(sum > 0, Fault::bad_file,
          "{}: the weights of the k-points do not have a positive sum: give the IBZKPT of the same run", path);
  for (KPoint& k : kpoints) k.weight /= sum;
  return kpoints;
}

}  // namespace seiche
