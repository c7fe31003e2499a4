// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes BerkeleyGW's WFN.h5, with a group of our own for checksums, which others pass over.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "crystal/complete_header.hpp"
#include "crystal/crystal.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/containers/hdf5.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

constexpr std::size_t operation_slots = 48;
constexpr double pi = std::numbers::pi;

hsize_t length(std::int64_t n) { return static_cast<hsize_t>(n); }

/// Names in one group of the file.
class Group {
 public:
  Group(const Hdf5File& file, std::string name) : file_(file), name_(std::move(name)) {}
  void number(const char* name, std::int64_t value) const {
    const auto small = static_cast<std::int32_t>(value);
    file_.write(name_ + name, {}, std::span(&small, 1));
  }
  void number(const char* name, double value) const { file_.write(name_ + name, {}, std::span(&value, 1)); }
  template <class Value>
  void array(const char* name, const Hdf5File::Shape& shape, const std::vector<Value>& values) const {
    file_.write(name_ + name, shape, std::span(values));
  }

 private:
  const Hdf5File& file_;
  std::string name_;
};

std::vector<double> scaled(const std::array<Vector3, 3>& rows, double factor) {
  std::vector<double> values;
  for (const Vector3& row : rows) {
    for (const double x : row) values.push_back(x * factor);
  }
  return values;
}

std::vector<double> products(const std::array<Vector3, 3>& rows) {
  std::vector<double> values;
  for (const Vector3& a : rows) {
    for (const Vector3& b : rows) values.push_back(dot(a, b));
  }
  return values;
}

void write_crystal(const Group& group, const Crystal& crystal) {
  const double alat = std::sqrt(dot(crystal.lattice[0], crystal.lattice[0])), blat = 2 * pi / alat;
  const auto reciprocal = crystal.reciprocal();
  group.number("celvol", crystal.volume());
  group.number("recvol", 8 * pi * pi * pi / crystal.volume());
  group.number("alat", alat);
  group.number("blat", blat);
  group.number("nat", static_cast<std::int64_t>(crystal.atoms.size()));
  group.array("avec", {3, 3}, scaled(crystal.lattice, 1 / alat));
  group.array("bvec", {3, 3}, scaled(reciprocal, 1 / blat));
  group.array("adot", {3, 3}, products(crystal.lattice));
  group.array("bdot", {3, 3}, products(reciprocal));
  std::vector<std::int32_t> types;
  std::vector<double> positions;
  for (const Atom& atom : crystal.atoms) {
    types.push_back(atomic_number(atom.symbol));
    for (const double x : atom.position) positions.push_back(x / alat);
  }
  group.array("atyp", {types.size()}, types);
  group.array("apos", {types.size(), 3}, positions);
}

using Rotation = std::array<std::array<int, 3>, 3>;

/// Whole numbers, as the determinant is 1 or -1.
Rotation inverse_of(const Rotation& r) {
  Rotation inverse{};
  const auto minor = [&](std::size_t i, std::size_t j) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return r[a][c] * r[b][d] - r[a][d] * r[b][c];
  };
  const int determinant = r[0][0] * minor(0, 0) + r[0][1] * minor(0, 1) + r[0][2] * minor(0, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) inverse[j][i] = determinant * minor(i, j);
  }
  return inverse;
}

std::vector<SymmetryOperation> writable(const std::vector<SymmetryOperation>& operations) {
  std::vector<SymmetryOperation> list;
  for (const SymmetryOperation& s : operations) {
    if (!s.time_reversal && list.size() < operation_slots) list.push_back(s);
  }
  return list;
}

/// Two vectors of one length at 60 or 120 degrees, the third upright on both. (In cubic face-centred and rhombohedral
/// cells it is not upright, and BerkeleyGW calls them cubic.)
bool is_hexagonal(const std::array<Vector3, 3>& lattice) {
  constexpr double same = 1e-6;
  const auto cosine = [](const Vector3& a, const Vector3& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 &a = lattice[i], &b = lattice[(i + 1) % 3], &c = lattice[(i + 2) % 3];
    const bool equal = std::abs(dot(a, a) / dot(b, b) - 1) < same,
               upright = std::abs(cosine(a, c)) < same && std::abs(cosine(b, c)) < same;
    if (equal && upright && std::abs(std::abs(cosine(a, b)) - 0.5) < same) return true;
  }
  return false;
}

/// See read_operations: the file has the translation of the operation that undoes each, times 2 pi.
void write_operations(const Group& group, const Crystal& crystal) {
  const auto operations = writable(operations_or_identity(crystal));
  std::vector<std::int32_t> rotations(9 * operation_slots);
  std::vector<double> translations(3 * operation_slots);
  for (std::size_t s = 0; s < operations.size(); ++s) {
    const auto inverse = inverse_of(operations[s].rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        rotations[9 * s + 3 * i + j] = operations[s].rotation[i][j];
        translations[3 * s + i] -= 2 * pi * inverse[i][j] * operations[s].translation[j];
      }
    }
  }
  group.number("ntran", static_cast<std::int64_t>(operations.size()));
  group.number("cell_symmetry", std::int64_t{is_hexagonal(crystal.lattice) ? 1 : 0});
  group.array("mtrx", {operation_slots, 3, 3}, rotations);
  group.array("tnp", {operation_slots, 3}, translations);
}

/// The lowest and highest band that is more than half full, counted from 1; 0 and 0 where none is.
void write_occupied(const Group& group, const OrbitalHeader& h) {
  std::vector<std::int32_t> lowest, highest;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      std::int32_t low = 0, high = 0;
      for (int band = 0; band < h.bands; ++band) {
        if (h.occupations[h.state(spin, k, band)] <= 0.5) continue;
        if (low == 0) low = band + 1;
        high = band + 1;
      }
      lowest.push_back(low);
      highest.push_back(high);
    }
  }
  const Hdf5File::Shape shape{length(h.spins), h.kpoints.size()};
  group.array("ifmin", shape, lowest);
  group.array("ifmax", shape, highest);
}

void write_kpoints(const Group& group, const OrbitalHeader& h) {
  std::vector<std::int32_t> waves;
  std::vector<double> weights, points, energies;
  for (const KPoint& k : h.kpoints) {
    waves.push_back(static_cast<std::int32_t>(k.plane_waves));
    weights.push_back(k.weight);
    points.insert(points.end(), k.k.begin(), k.k.end());
  }
  for (const double energy : h.energies) energies.push_back(2 * energy);
  const hsize_t nk = h.kpoints.size();
  group.number("nspin", std::int64_t{h.spins});
  group.number("nspinor", std::int64_t{h.spinor});
  group.number("nrk", static_cast<std::int64_t>(nk));
  group.number("mnband", std::int64_t{h.bands});
  group.number("ngkmax", std::int64_t{*std::max_element(waves.begin(), waves.end())});
  group.number("ecutwfc", 2 * h.cutoff);
  group.array("kgrid", {3}, std::vector<std::int32_t>(h.mesh.begin(), h.mesh.end()));
  group.array("shift", {3}, std::vector<double>(h.mesh_shift.begin(), h.mesh_shift.end()));
  group.array("ngk", {nk}, waves);
  write_occupied(group, h);
  group.array("w", {nk}, weights);
  group.array("rk", {nk, 3}, points);
  group.array("el", {length(h.spins), nk, length(h.bands)}, energies);
  group.array("occ", {length(h.spins), nk, length(h.bands)}, h.occupations);
}

void write_density_sphere(const Group& group, const OrbitalHeader& h) {
  const auto b = h.crystal.reciprocal();
  const auto waves = in_quantum_espresso_order(b, sphere_of_waves(b, {}, h.density_cutoff));
  std::vector<std::int32_t> components;
  for (const Miller& g : waves) components.insert(components.end(), {g.x, g.y, g.z});
  group.number("ng", static_cast<std::int64_t>(waves.size()));
  group.number("ecutrho", 2 * h.density_cutoff);
  const auto points = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  group.array("FFTgrid", {3}, std::vector<std::int32_t>{points(h.grid.nx), points(h.grid.ny), points(h.grid.nz)});
  group.array("components", {waves.size(), 3}, components);
}

bool named_wfn(const std::string& path) {
  return (path.size() > 3 && path.ends_with(".h5")) || (path.size() > 4 && path.ends_with(".wfn"));
}

std::vector<std::string> losses_in_wfn(const OrbitalHeader& h) {
  std::vector<std::string> lost;
  const std::size_t kept = writable(h.crystal.operations).size();
  if (kept < h.crystal.operations.size()) {
    lost.push_back(fmt::format("{} of {} symmetry operations: WFN.h5 has room for 48, none with time reversal",
                               h.crystal.operations.size() - kept, h.crystal.operations.size()));
  }
  if (h.half_sphere) lost.push_back("that the wavefunctions are real: both of each pair G, -G are written");
  if (h.norm_conserving != NormConserving::yes) {
    lost.push_back("that the bands are not orthonormal by themselves: BerkeleyGW knows no overlap (Seiche does)");
  }
  if (h.mesh[0] == 0) lost.push_back("the mesh of the k-points (kgrid, shift) is not known and written as 0");
  if (!h.weighted) lost.push_back(unknown_weights);
  if (h.crystal.operations.empty()) lost.push_back(unknown_operations);
  const double held = electrons_of(h);
  if (std::abs(held - h.electrons) > 1e-6 * h.electrons) {
    lost.push_back(
        fmt::format("that the cell has {:g} electrons: the bands hold {:g} (Seiche knows)", h.electrons, held));
  }
  if (!h.format.starts_with("BerkeleyGW")) {
    lost.push_back(
        "names of pseudopotentials, the functional and forces, where the source has them; BerkeleyGW also "
        "knows no total and Fermi energies (Seiche does)");
  }
  return lost;
}

/// What BerkeleyGW has no place for, in a group that others pass over.
void write_own(const Group& group, const OrbitalHeader& h) {
  group.number("norm_conserving", static_cast<std::int64_t>(h.norm_conserving));
  group.number("averaged", std::int64_t{h.averaged});
  group.number("weighted", std::int64_t{h.weighted});
  group.number("operations_known", std::int64_t{!h.crystal.operations.empty()});
  group.number("electrons", h.electrons);
  if (h.total_energy) group.number("total_energy", *h.total_energy);
  if (h.fermi_energy) group.number("fermi_energy", *h.fermi_energy);
}

WaveTable create_wfn(const std::string& path, const OrbitalHeader& h) {
  {
    const Hdf5File file = Hdf5File::create(path);
    const Group top(file, "mf_header/");
    top.number("versionnumber", std::int64_t{1});
    top.number("flavor", std::int64_t{2});
    write_kpoints({file, "mf_header/kpoints/"}, h);
    write_density_sphere({file, "mf_header/gspace/"}, h);
    write_operations({file, "mf_header/symmetry/"}, h.crystal);
    write_crystal({file, "mf_header/crystal/"}, h.crystal);
    std::int64_t all = 0;
    for (const KPoint& k : h.kpoints) all += k.plane_waves;
    write_own({file, std::string(berkeleygw_own) + "/"}, h);
    file.make_room(berkeleygw_checksums, {length(h.spins), h.kpoints.size(), length(h.bands), 2}, Element::int32);
    file.make_room("wfns/gvecs", {length(all), 3}, Element::int32);
    file.make_room("wfns/coeffs", {length(h.bands), length(h.spins * h.spinor), length(all), 2});
  }
  return read_berkeleygw(path);
}

}  // namespace

WaveWriting writing_berkeleygw() { return {"wfn", named_wfn, false, false, losses_in_wfn, nullptr, create_wfn}; }

}  // namespace seiche
