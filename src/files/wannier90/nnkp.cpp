// SPDX-License-Identifier: BSD-3-Clause
/// \file  .nnkp files of wannier90: blocks of numbers between `begin NAME` and `end NAME`.
#include "files/wannier90/nnkp.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "comm/equal_arguments.hpp"
#include "containers/archive.hpp"
#include "crystal/lattice.hpp"
#include "orbitals/trial_orbitals.hpp"
#include "support/packed.hpp"
#include "support/require.hpp"
#include "support/size_of.hpp"
#include "support/text_number.hpp"

namespace seiche {

namespace {

/// The words of one block, read in order.
class Block {
 public:
  Block(std::string path, std::string name, std::vector<std::string> words)
      : path_(std::move(path)), name_(std::move(name)), words_(std::move(words)) {}

  double number() {
    require(next_ < words_.size(), Fault::bad_file,
            "{}: block {} is truncated: create the file again with wannier90.x -pp", path_, name_);
    const std::string& word = words_[next_++];
    const auto value = number_in(word);
    require(value && std::abs(*value) < 1e9, Fault::bad_file,
            "{}: '{}' in block {} is not a number: create the file again with wannier90.x -pp", path_, word, name_);
    return *value;
  }
  /// Returns an integer from `least` to `most`.
  int count(int least, int most) {
    const double value = number();
    require(value == std::floor(value) && value >= least && value <= most, Fault::bad_file,
            "{}: invalid value {} in block {} (expected an integer from {} to {}): create the file again with "
            "wannier90.x -pp",
            path_, value, name_, least, most);
    return static_cast<int>(value);
  }
  /// Returns the number of entries, of at least `each` words each.
  int entries(int each) { return count(0, static_cast<int>(words_.size()) / each); }
  Vector3 vector() {
    Vector3 v{};
    for (double& x : v) x = number();
    return v;
  }
  std::size_t left() const { return words_.size() - next_; }

 private:
  std::string path_, name_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

class Nnkp {
 public:
  explicit Nnkp(const std::string& path) : path_(path) {
    require(std::filesystem::is_regular_file(path), Fault::bad_file, "cannot read {}: create it with wannier90.x -pp",
            path);
    require_unpacked(path);
    std::ifstream file(path);
    require(static_cast<bool>(file), Fault::bad_file, "cannot open {}: check its permissions", path);
    std::string name;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if (first == "begin") {
        name = second;
        blocks_[name].clear();
      } else if (first == "end") {
        name.clear();
      } else if (!name.empty()) {
        std::istringstream again(line);
        std::copy(std::istream_iterator<std::string>(again), {}, std::back_inserter(blocks_[name]));
      }
    }
  }
  bool has(const std::string& name) const { return blocks_.count(name) > 0; }
  Block block(const std::string& name) const {
    require(has(name), Fault::bad_file, "{} has no block {}: create it with wannier90.x -pp", path_, name);
    return {path_, name, blocks_.at(name)};
  }

 private:
  std::string path_;
  std::map<std::string, std::vector<std::string>> blocks_;
};

void read_neighbours(const Nnkp& file, WannierRequest& request) {
  Block block = file.block("nnkpts");
  const auto kpoints = static_cast<int>(request.kpoints.size());
  const int each = block.entries(5);
  require(
      each > 0 && block.left() == request.kpoints.size() * size_of(each) * 5, Fault::bad_file,
      "{}: block nnkpts does not list {} neighbours of each of {} k-points: create the file again with wannier90.x -pp",
      request.path, each, kpoints);
  request.neighbours.resize(request.kpoints.size());
  constexpr int far = 1000;
  for (int i = 0; i < kpoints * each; ++i) {
    const int k = block.count(1, kpoints);
    KNeighbour neighbour{block.count(1, kpoints) - 1, {}};
    neighbour.shift = {block.count(-far, far), block.count(-far, far), block.count(-far, far)};
    auto& list = request.neighbours[size_of(k - 1)];
    require(std::ssize(list) < each, Fault::bad_file,
            "{}: k-point {} has more than {} neighbours: create the file again with wannier90.x -pp", request.path, k,
            each);
    list.push_back(neighbour);
  }
}

void read_trial_orbitals(const Nnkp& file, WannierRequest& request) {
  const bool spinors = file.has("spinor_projections");
  if (!spinors && !file.has("projections")) return;
  Block block = file.block(spinors ? "spinor_projections" : "projections");
  const int count = block.entries(spinors ? 17 : 13);
  for (int n = 0; n < count; ++n) {
    TrialOrbital& trial = request.trial_orbitals.emplace_back();
    trial.centre = block.vector();
    trial.l = block.count(-5, 3);
    trial.number = block.count(1, 9);
    trial.radial = block.count(1, 3);
    trial.z = block.vector();
    trial.x = block.vector();
    trial.diffusivity = block.number();
    if (spinors) {
      trial.spin = block.count(-1, 1);
      trial.spin_axis = block.vector();
    }
    require_sound(trial);
  }
}

}  // namespace

WannierRequest read_nnkp(const std::string& path) {
  const Nnkp file(path);
  WannierRequest request;
  request.path = path;
  Block lattice = file.block("real_lattice"), kpoints = file.block("kpoints");
  for (Vector3& a : request.lattice) {
    a = lattice.vector();
    for (double& x : a) x /= bohr_in_angstrom;
  }
  const int count = kpoints.entries(3);
  require(count > 0, Fault::bad_file, "{} lists no k-points: create the file again with wannier90.x -pp", path);
  for (int k = 0; k < count; ++k) request.kpoints.push_back(kpoints.vector());
  read_neighbours(file, request);
  read_trial_orbitals(file, request);
  constexpr int many = 1'000'000;
  if (file.has("auto_projections")) request.automatic = file.block("auto_projections").count(0, many);
  if (file.has("exclude_bands")) {
    Block excluded = file.block("exclude_bands");
    const int bands = excluded.entries(1);
    for (int i = 0; i < bands; ++i) request.excluded_bands.push_back(excluded.count(1, many) - 1);
    std::sort(request.excluded_bands.begin(), request.excluded_bands.end());
  }
  return request;
}

void describe(Archive& archive, WannierRequest& request) {
  int automatic = request.automatic.value_or(-1);
  archive(request.path, request.lattice, request.kpoints, request.neighbours, request.trial_orbitals, automatic,
          request.excluded_bands);
  if (automatic >= 0) request.automatic = automatic;
}

WannierRequest read_nnkp(const Communicator& comm, const std::string& path) {
  together(comm, "read_nnkp", [&](EqualArguments& same) { same.add("path", path); });
  WannierRequest request;
  found_by_root(comm, request, [&] { request = read_nnkp(path); });
  return request;
}

Selection wanted_states(const WannierRequest& request, const OrbitalHeader& header, int spin) {
  require(spin >= 0 && spin < header.spins, Fault::bad_argument, "{} has {} spins, but no spin {}", header.path,
          header.spins, spin + 1);
  Selection wanted{{}, {}, {spin}};
  for (int band = 0; band < header.bands; ++band) {
    const auto& excluded = request.excluded_bands;
    if (!std::binary_search(excluded.begin(), excluded.end(), band)) wanted.bands.push_back(band);
  }
  require(!wanted.bands.empty(), Fault::bad_argument, "{} excludes all bands of {}: exclude fewer bands", request.path,
          header.path);
  return wanted;
}

}  // namespace seiche
