// SPDX-License-Identifier: BSD-3-Clause
#include "files/quantum_espresso/xml_source.hpp"

#include <algorithm>
#include <filesystem>

#include "crystal/unweighted.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"

namespace seiche {

namespace {

bool same_crystal(const Crystal& a, const Crystal& b) {
  const auto same_atom = [](const Atom& p, const Atom& q) { return p.symbol == q.symbol && p.position == q.position; };
  return a.lattice == b.lattice &&
         std::equal(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(), same_atom);
}

bool same_kpoints(const OrbitalHeader& a, const OrbitalHeader& b) {
  const auto same = [](const KPoint& p, const KPoint& q) { return p.k == q.k && p.weight == q.weight; };
  return std::equal(a.kpoints.begin(), a.kpoints.end(), b.kpoints.begin(), b.kpoints.end(), same);
}

}  // namespace

XmlSource::XmlSource(const OrbitalHeader& header) {
  if (!recognises_quantum_espresso(header.path)) return;
  const std::filesystem::path place(header.path);
  const auto xml = std::filesystem::is_directory(place) ? place / "data-file-schema.xml" : place;
  document_.load_file(xml.c_str());
  OrbitalHeader given = read_quantum_espresso_schema(xml.string());
  derive_unweighted_occupations(given);  // as for `header`
  same_basis_ = given.cutoff == header.cutoff && same_crystal(given.crystal, header.crystal);
  same_spins_ = given.spins == header.spins;
  same_mesh_ = given.mesh == header.mesh && given.mesh[0] > 0;
  const bool same_bands = same_kpoints(given, header) && given.bands == header.bands;
  same_states_ = same_basis_ && same_spins_ && same_bands;
  same_total_energy_ = given.total_energy == header.total_energy;
  // A selection of states keeps their values.
  const bool selected = !same_spins_ || !same_bands;
  same_levels_ = given.fermi_energy == header.fermi_energy && given.fermi_energy_down == header.fermi_energy_down &&
                 given.electrons == header.electrons && (selected || given.energies == header.energies);
  same_occupations_ =
      same_spins_ && given.electrons == header.electrons && (selected || given.occupations == header.occupations);
}

bool XmlSource::copy(pugi::xml_node into, const char* name) const {
  const pugi::xml_node found = output().child(name);
  if (found) into.append_copy(found);
  return static_cast<bool>(found);
}

}  // namespace seiche
