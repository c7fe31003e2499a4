// SPDX-License-Identifier: BSD-3-Clause
/// \file  Full zones by symmetry, and other bases.
#include <seiche/basis.hpp>
#include <seiche/symmetry.hpp>

#include "bind.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

/// What should change, and how it moves.
struct Reassignment {
  BasisRequest request;
  MoveOptions how;
};

}  // namespace

template <>
Keywords<Reassignment> keywords_of() {
  const auto one = [](const char* name, const char* meaning, auto member) {
    return keyword<Reassignment>(
        name, meaning, [member](auto& of) -> auto& { return of.request.*member; });
  };
  Keywords<Reassignment> all{
      one("cutoff", "hartree", &BasisRequest::cutoff),
      one("density_cutoff", "hartree", &BasisRequest::density_cutoff),
      one("lattice", "(3, 3), bohr; waves keep their integer indices", &BasisRequest::lattice),
      one("grid", "points (nx, ny, nz) of the density's grid", &BasisRequest::grid),
      one("bands", "the first so many; new ones only with orthonormal=\"cholesky\"", &BasisRequest::bands),
      one("orthonormal", "as_they_are, loewdin or cholesky", &BasisRequest::orthonormal),
      one("waves", "int32 arrays (n, 3): the waves of each k-point in the order wanted", &BasisRequest::waves)};
  nest(all, &Reassignment::how);
  return all;
}

namespace {

Orbitals with_symmetric_bands(const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations,
                              const nb::kwargs& options) {
  return moving(orbitals.comm, options,
                [&](const MoveOptions& how) { return symmetric_bands(orbitals, operations, how); });
}

void bind_maps(nb::module_& module) {
  bind_report<ParentState>(module, "ParentState", "From which states those of one spin and k-point come.")
      .def_ro("spin", &ParentState::spin, "Of the set that there is.")
      .def_ro("k", &ParentState::k, "Of the set that there is.")
      .def_ro("operation", &ParentState::operation, "That makes the new ones of them.");
  bind_report<KStarMap>(module, "KStarMap", "A set of k-points made of another by symmetry.")
      .def_ro("header", &KStarMap::header, "Of the set that is made.")
      .def_ro("parent_states", &KStarMap::parent_states, "[spin][k] of that set, one after the other.");
  module.def("full_zone", &full_zone, "header"_a, "operations"_a,
             "All images of the k-points under the operations, in the order of a regular grid. Local.");
  module.def("moved", &moved, "header"_a, "operation"_a, "The same k-points after one operation. Local.");
  module.def("mapped", together(&mapped), "orbitals"_a, "map"_a,
             "The wavefunctions of map.header, made of `orbitals`; nothing is sent. Collective.");
  def_with<MoveOptions>(module, "symmetric_bands", &with_symmetric_bands,
                        "Bands made symmetric under those operations that keep their own k-point. Collective.",
                        "orbitals"_a, "operations"_a);
}

Reassigned reassign_by(const Orbitals& orbitals, const std::optional<OrbitalHeader>& like, const nb::kwargs& options) {
  const auto asked = [&] { return options_of<Reassignment>(options, {like ? basis_like(*like) : BasisRequest{}, {}}); };
  return collective(orbitals.comm, asked,
                    [&](const Reassignment& wanted) { return reassign(orbitals, wanted.request, wanted.how); });
}

Array norm_lost(const Reassigned& self) {
  const OrbitalHeader& h = self.orbitals.header;
  const std::int64_t kpoints = std::ssize(h.kpoints), states = h.spins * kpoints;
  return array_from(self.norm_lost, {h.spins, kpoints, states > 0 ? std::ssize(self.norm_lost) / states : 0});
}

Orbitals with_orthonormal_bands(const Orbitals& orbitals, const std::string& how, const nb::kwargs& options) {
  const auto way = agreed(orbitals.comm, [&] { return named<Orthonormal>("orthonormal", how); });
  return moving(orbitals.comm, options, [&](const MoveOptions& move) { return orthonormalized(orbitals, way, move); });
}

Array overlaps_of(const Orbitals& a, const Orbitals& b, const nb::kwargs& options) {
  const auto found = moving(a.comm, options, [&](const MoveOptions& how) { return overlaps(a, b, how); });
  return array_from(flat(found), {a.header.spins, std::ssize(a.header.kpoints), a.header.bands, b.header.bands});
}

void bind_bases(nb::module_& module) {
  nb::class_<Reassigned>(module, "Reassigned", "Wavefunctions in their new basis, and what became of them on the way.")
      .def_ro("orbitals", &Reassigned::orbitals, "The Orbitals.")
      .def_prop_ro("norm_lost", &norm_lost,
                   "Of the norm 1 of each band, the part on waves that were left out: a new array (spin, k, band).")
      .def_ro("left_out", &Reassigned::left_out, "Waves of each k-point.")
      .def_ro("added", &Reassigned::added, "Waves of each k-point.");
  def_with<Reassignment>(module, "reassign", &reassign_by, R"(Wavefunctions in another basis. Collective.

Parameters
----------
like : OrbitalHeader, optional
    Whose cell, cut-off and grid are wanted.)",
                         "orbitals"_a, "like"_a = nb::none());
  def_with<MoveOptions>(module, "orthonormalized", &with_orthonormal_bands,
                        "Bands made orthonormal: loewdin or cholesky. Collective.", "orbitals"_a, "how"_a = "loewdin");
  def_with<MoveOptions>(module, "overlaps", &overlaps_of,
                        "<a_i|b_j> of all bands of two sets with the same k-points and waves: an array (spin, k, i, "
                        "j), the same on every rank. Collective.",
                        "a"_a, "b"_a);
}

}  // namespace

void bind_symmetry(nb::module_& module) {
  bind_maps(module);
  bind_bases(module);
}

}  // namespace seiche::python
