// SPDX-License-Identifier: BSD-3-Clause
/// \file  The XML of the .save that wavefunctions come from, for what it says and the library does not: it goes along.
#pragma once

#include <pugixml.hpp>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Empty where the wavefunctions come from elsewhere.
class XmlSource {
 public:
  explicit XmlSource(const OrbitalHeader& header);

  /// Whether the wavefunctions have the cell and the cut-off of this source still.
  bool same_basis() const { return same_basis_; }
  /// Whether they are all of its k-points and bands besides: what went into the run is theirs, too.
  bool same_states() const { return same_states_; }
  /// Whether no spin was left out, and the k-points are of its mesh still.
  bool same_spins() const { return same_spins_; }
  bool same_mesh() const { return same_mesh_; }
  pugi::xml_node input() const { return document_.child("qes:espresso").child("input"); }
  pugi::xml_node output() const { return document_.child("qes:espresso").child("output"); }
  /// Copies the element `name` of the output. \return whether there is one
  bool copy(pugi::xml_node into, const char* name) const;

 private:
  pugi::xml_document document_;
  bool same_basis_ = false, same_states_ = false, same_spins_ = false, same_mesh_ = false;
};

}  // namespace seiche
