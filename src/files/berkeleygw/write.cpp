// SPDX-License-Identifier: BSD-3-Clause
/// \file  Writes WFN.h5 files of BerkeleyGW, with an additional group for checksums that other programs ignore.
#include <algorithm>
#include <cmath>

#include "containers/hdf5.hpp"
#include "crystal/complete_header.hpp"
#include "files/berkeleygw/berkeleygw.hpp"
#include "files/berkeleygw/berkeleygw_crystal.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

hsize_t length(std::int64_t n) { return static_cast<hsize_t>(n); }

/// Writes names in one group of the file.
class WriteGroup {
 public:
  WriteGroup(const Hdf5File& file, std::string name) : file_(file), name_(std::move(name)) {}
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

void write_crystal(const WriteGroup& group, const BerkeleyGwCrystal& crystal) {
  group.number("celvol", crystal.volume);
  group.number("recvol", crystal.reciprocal_volume);
  group.number("alat", crystal.alat);
  group.number("blat", crystal.blat);
  group.number("nat", std::int64_t{crystal.atoms()});
  group.array("avec", {3, 3}, crystal.a);
  group.array("bvec", {3, 3}, crystal.b);
  group.array("adot", {3, 3}, crystal.adot);
  group.array("bdot", {3, 3}, crystal.bdot);
  group.array("atyp", {crystal.types.size()}, crystal.types);
  group.array("apos", {crystal.types.size(), 3}, crystal.positions);
}

void write_operations(const WriteGroup& group, const BerkeleyGwCrystal& crystal) {
  std::vector<std::int32_t> rotations = crystal.rotations;
  std::vector<double> translations = crystal.translations;
  rotations.resize(9 * berkeleygw_operations);
  translations.resize(3 * berkeleygw_operations);
  group.number("ntran", std::int64_t{crystal.operations()});
  group.number("cell_symmetry", std::int64_t{crystal.hexagonal});
  group.array("mtrx", {berkeleygw_operations, 3, 3}, rotations);
  group.array("tnp", {berkeleygw_operations, 3}, translations);
}

void write_kpoints(const WriteGroup& group, const OrbitalHeader& h) {
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
  const OccupiedBands occupied = occupied_bands(h);
  group.array("ifmin", {length(h.spins), nk}, occupied.lowest);
  group.array("ifmax", {length(h.spins), nk}, occupied.highest);
  group.array("w", {nk}, weights);
  group.array("rk", {nk, 3}, points);
  group.array("el", {length(h.spins), nk, length(h.bands)}, energies);
  group.array("occ", {length(h.spins), nk, length(h.bands)}, h.occupations);
}

void write_density_sphere(const WriteGroup& group, const OrbitalHeader& h) {
  const auto components = berkeleygw_sphere(h.crystal, h.density_cutoff);
  group.number("ng", static_cast<std::int64_t>(components.size() / 3));
  group.number("ecutrho", 2 * h.density_cutoff);
  const auto points = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  group.array("FFTgrid", {3}, std::vector<std::int32_t>{points(h.grid.nx), points(h.grid.ny), points(h.grid.nz)});
  group.array("components", {components.size() / 3, 3}, components);
}

bool named_wfn(const std::string& path) {
  return (path.size() > 3 && path.ends_with(".h5")) || (path.size() > 4 && path.ends_with(".wfn"));
}

/// \param own_group  whether the file has the group of Seiche, which exists in WFN.h5 only
std::vector<std::string> losses_in(const OrbitalHeader& h, bool own_group) {
  const char *knows = own_group ? " (kept for Seiche)" : "", *does = own_group ? " (kept for Seiche)" : "";
  std::vector<std::string> lost;
  const std::size_t kept = writable_operations(h.crystal.operations).size();
  if (kept < h.crystal.operations.size()) {
    lost.push_back(formatted("{} of {} symmetry operations: a WFN holds at most 48, and none with time reversal",
                             h.crystal.operations.size() - kept, h.crystal.operations.size()));
  }
  if (h.half_sphere) lost.push_back("reality of the wavefunctions: both of each pair G, -G are written");
  if (h.norm_conserving != NormConserving::yes) {
    lost.push_back(std::string("overlap of the bands, which are not orthonormal: BerkeleyGW files do not state it") +
                   does);
  }
  if (h.mesh[0] == 0) lost.push_back("the mesh of the k-points (kgrid, shift): unknown, written as 0");
  if (!h.weighted) lost.push_back(unknown_weights);
  if (h.crystal.operations.empty()) lost.push_back(unknown_operations);
  const double held = electrons_of(h);
  if (std::abs(held - h.electrons) > 1e-6 * h.electrons) {
    lost.push_back(formatted("the number of electrons, {:g}: the bands hold {:g}{}", h.electrons, held, knows));
  }
  if (!h.format.starts_with("BerkeleyGW")) {
    lost.push_back(std::string("names of pseudopotentials, functional and forces of the source; BerkeleyGW files hold "
                               "no total energy and no Fermi energy either") +
                   does);
  }
  return lost;
}
std::vector<std::string> losses_in_wfn(const OrbitalHeader& h) { return losses_in(h, true); }

/// Writes data that BerkeleyGW has no names for, in a group that other programs ignore.
void write_own(const WriteGroup& group, const OrbitalHeader& h) {
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
    const BerkeleyGwCrystal crystal = berkeleygw_crystal(h.crystal);
    const WriteGroup top(file, "mf_header/");
    top.number("versionnumber", std::int64_t{1});
    top.number("flavor", std::int64_t{2});
    write_kpoints({file, "mf_header/kpoints/"}, h);
    write_density_sphere({file, "mf_header/gspace/"}, h);
    write_operations({file, "mf_header/symmetry/"}, crystal);
    write_crystal({file, "mf_header/crystal/"}, crystal);
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

std::vector<std::string> losses_in_binary_wfn(const OrbitalHeader& h) {
  require(h.spinor == 1, Fault::bad_argument,
          "{}: its bands are spinors, which binary WFN files cannot hold: write a WFN.h5", h.path);
  return losses_in(h, false);
}

WaveWriting writing_berkeleygw() { return {"wfn", named_wfn, false, false, losses_in_wfn, nullptr, create_wfn}; }

}  // namespace seiche
