// SPDX-License-Identifier: BSD-3-Clause
#include "files/quantum_espresso/xml_source.hpp"

#include <filesystem>

#include "files/quantum_espresso/quantum_espresso.hpp"

namespace seiche {

XmlSource::XmlSource(const OrbitalHeader& header) {
  if (!recognises_quantum_espresso(header.path)) return;
  const std::filesystem::path place(header.path);
  const auto xml = std::filesystem::is_directory(place) ? place / "data-file-schema.xml" : place;
  document_.load_file(xml.c_str());
  const OrbitalHeader given = read_quantum_espresso_schema(xml.string());
  same_basis_ = given.cutoff == header.cutoff && given.crystal.lattice == header.crystal.lattice;
  same_spins_ = given.spins == header.spins;
  same_mesh_ = given.mesh == header.mesh && given.mesh[0] > 0;
  same_states_ =
      same_basis_ && same_spins_ && given.kpoints.size() == header.kpoints.size() && given.bands == header.bands;
}

bool XmlSource::copy(pugi::xml_node into, const char* name) const {
  const pugi::xml_node found = output().child(name);
  if (found) into.append_copy(found);
  return static_cast<bool>(found);
}

}  // namespace seiche
