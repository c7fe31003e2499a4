// SPDX-License-Identifier: BSD-3-Clause
/// \file  The XML of the source .save, for data that the library does not represent and that is copied. An element is
/// copied only if the values of the header that it depends on still agree with the source.
#pragma once

#include <pugixml.hpp>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Empty if the wavefunctions have another source.
class XmlSource {
 public:
  explicit XmlSource(const OrbitalHeader& header);

  /// Whether the wavefunctions still have the cell, the atoms and the cutoff of this source.
  bool same_basis() const { return same_basis_; }
  /// Whether they also have all of its k-points and bands, so that the input of the run applies to them.
  bool same_states() const { return same_states_; }
  /// Whether no spin was omitted, and whether the k-points still belong to its mesh.
  bool same_spins() const { return same_spins_; }
  /// Whether the total energy and the Fermi energy are those of the source; whether energies and occupations are, too.
  bool same_total_energy() const { return same_total_energy_; }
  bool same_levels() const { return same_levels_; }
  bool same_occupations() const { return same_occupations_; }
  bool same_mesh() const { return same_mesh_; }
  pugi::xml_node input() const { return document_.child("qes:espresso").child("input"); }
  pugi::xml_node output() const { return document_.child("qes:espresso").child("output"); }
  /// Copies the element `name` of the output. \return whether it exists
  bool copy(pugi::xml_node into, const char* name) const;

 private:
  pugi::xml_document document_;
  bool same_basis_ = false, same_states_ = false, same_spins_ = false, same_mesh_ = false;
  bool same_total_energy_ = false, same_levels_ = false, same_occupations_ = false;
};

}  // namespace seiche
