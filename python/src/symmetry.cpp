// SPDX-License-Identifier: BSD-3-Clause
/// \file  Full zones by symmetry, and other bases.
#include <seiche/basis.hpp>
#include <seiche/symmetry.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "nouns.hpp"
#include "orbitals.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

Orthonormal orthonormal_named(const std::string& word) {
  using enum Orthonormal;
  return named<Orthonormal>("orthonormal", word,
                            {{"as_they_are", as_they_are}, {"loewdin", loewdin}, {"cholesky", cholesky}});
}

void bind_maps(nb::module_& module) {
  nb::class_<ParentState>(module, "ParentState", "From which states those of one spin and k-point come.")
      .def_ro("spin", &ParentState::spin, "Of the set that there is.")
      .def_ro("k", &ParentState::k, "Of the set that there is.")
      .def_ro("operation", &ParentState::operation, "That makes the new ones of them.");
  nb::class_<KStarMap>(module, "KStarMap", "A set of k-points made of another by symmetry.")
      .def_ro("header", &KStarMap::header, "Of the set that is made.")
      .def_ro("parent_states", &KStarMap::parent_states, "[spin][k] of that set, one after the other.")
      .def("__repr__", [](const KStarMap& self) {
        return "<seiche.KStarMap to " + std::to_string(self.header.kpoints.size()) + " k-points>";
      });
  module.def("full_zone", &full_zone, "header"_a, "operations"_a,
             "All images of the k-points under the operations, in the order of a regular grid. Local.");
  module.def("moved", &moved, "header"_a, "operation"_a, "The same k-points after one operation. Local.");
  module.def(
      "mapped",
      [](const Orbitals& orbitals, const KStarMap& map) {
        return moving(orbitals.comm, nb::kwargs(), [&](const MoveOptions&) { return mapped(orbitals, map); });
      },
      "orbitals"_a, "map"_a, "The wavefunctions of map.header, made of `orbitals`; nothing is sent. Collective.");
  module.def(
      "symmetric_bands",
      [](const Orbitals& orbitals, const std::vector<SymmetryOperation>& operations, const nb::kwargs& options) {
        return moving(orbitals.comm, options,
                      [&](const MoveOptions& how) { return symmetric_bands(orbitals, operations, how); });
      },
      "orbitals"_a, "operations"_a, "options"_a,
      "Bands made symmetric under those operations that keep their own k-point. Collective.",
      move_signature("def symmetric_bands(orbitals: Orbitals, operations: collections.abc.Sequence[SymmetryOperation], "
                     "*, ",
                     ") -> Orbitals"));
}

/// Keywords of reassign: what should change, and how it moves.
struct Reassignment {
  BasisRequest request;
  MoveOptions how;
};

const Keywords<Reassignment>& reassign_keywords() {
  using Lattice = std::array<Vector3, 3>;
  static const Keywords<Reassignment> known{
      {"cutoff", [](Reassignment& r, nb::handle given) { r.request.cutoff = value_of<double>("cutoff", given); }},
      {"density_cutoff",
       [](Reassignment& r, nb::handle given) { r.request.density_cutoff = value_of<double>("density_cutoff", given); }},
      {"lattice", [](Reassignment& r, nb::handle given) { r.request.lattice = value_of<Lattice>("lattice", given); }},
      {"grid", [](Reassignment& r, nb::handle given) { r.request.grid = grid_shape_of(given); }},
      {"bands", [](Reassignment& r, nb::handle given) { r.request.bands = value_of<int>("bands", given); }},
      {"orthonormal",
       [](Reassignment& r, nb::handle given) {
         r.request.orthonormal = orthonormal_named(value_of<std::string>("orthonormal", given));
       }},
      {"waves", [](Reassignment& r, nb::handle given) {
         for (const nb::handle waves : given) {
           const auto mine = waves_of(nb::borrow<Array>(waves), "waves");
           r.request.waves.emplace_back(mine.begin(), mine.end());
         }
       }}};
  return known;
}

Reassigned reassign_by(const Orbitals& orbitals, const std::optional<OrbitalHeader>& like, const nb::kwargs& keywords) {
  Reassignment asked;
  std::optional<Reassigned> made;
  collective(
      orbitals.comm,
      [&] {
        if (like) asked.request = basis_like(*like);
        nb::kwargs of_moves = nb::steal<nb::kwargs>(PyDict_New());
        for (const auto& [key, value] : keywords) {
          const auto found = reassign_keywords().find(nb::cast<std::string>(key));
          if (found == reassign_keywords().end()) {
            of_moves[key] = value;
          } else {
            found->second(asked, value);
          }
        }
        asked.how = move_options(of_moves);
      },
      [&] { made.emplace(reassign(orbitals, asked.request, asked.how)); });
  return std::move(*made);
}

constexpr const char* doc_of_reassign = R"(Wavefunctions in another basis. Collective.

Parameters
----------
like : OrbitalHeader, optional
    Whose cell, cut-off and grid are wanted.
cutoff, density_cutoff : float
    Hartree.
lattice : array_like, (3, 3)
    Bohr; waves keep their integer indices.
grid : tuple of int
    Points (nx, ny, nz) of the density's grid.
bands : int
    The first so many; new ones only with orthonormal="cholesky".
orthonormal : str
    as_they_are, loewdin or cholesky.
waves : sequence of int32 arrays (n, 3)
    The waves of each k-point in the order wanted.)";

Array overlaps_of(const Orbitals& a, const Orbitals& b, const nb::kwargs& options) {
  const auto found = moving(a.comm, options, [&](const MoveOptions& how) { return overlaps(a, b, how); });
  std::vector<std::complex<double>> all;
  for (const auto& one : found) all.insert(all.end(), one.begin(), one.end());
  return array_from(std::move(all), {a.header.spins, static_cast<std::int64_t>(a.header.kpoints.size()), a.header.bands,
                                     b.header.bands});
}

void bind_bases(nb::module_& module) {
  nb::class_<Reassigned>(module, "Reassigned", "Wavefunctions in their new basis, and what became of them on the way.")
      .def_ro("orbitals", &Reassigned::orbitals, "The Orbitals.")
      .def_prop_ro(
          "norm_lost",
          [](const Reassigned& self) {
            const OrbitalHeader& h = self.orbitals.header;
            const auto kpoints = static_cast<std::int64_t>(h.kpoints.size());
            const std::int64_t states = h.spins * kpoints;
            const auto all = static_cast<std::int64_t>(self.norm_lost.size());
            return array_from(std::vector<double>(self.norm_lost), {h.spins, kpoints, states > 0 ? all / states : 0});
          },
          "Of the norm 1 of each band, the part on waves that were left out: a new array (spin, k, band).")
      .def_ro("left_out", &Reassigned::left_out, "Waves of each k-point.")
      .def_ro("added", &Reassigned::added, "Waves of each k-point.");
  module.def(
      "reassign", &reassign_by, "orbitals"_a, "like"_a = nb::none(), "options"_a, doc_of_reassign,
      move_signature(
          "def reassign(orbitals: Orbitals, like: OrbitalHeader | None = None, *, cutoff: float = ..., "
          "density_cutoff: float = ..., lattice: numpy.typing.ArrayLike = ..., grid: tuple[int, int, int] = ..., "
          "bands: int = ..., orthonormal: str = 'as_they_are', waves: collections.abc.Sequence[numpy.ndarray] = "
          "(), ",
          ") -> Reassigned"));
  module.def(
      "orthonormalized",
      [](const Orbitals& orbitals, const std::string& how, const nb::kwargs& options) {
        Orthonormal way{};
        collective(
            orbitals.comm, [&] { way = orthonormal_named(how); }, [] {});
        return moving(orbitals.comm, options,
                      [&](const MoveOptions& move) { return orthonormalized(orbitals, way, move); });
      },
      "orbitals"_a, "how"_a = "loewdin", "options"_a, "Bands made orthonormal: loewdin or cholesky. Collective.",
      move_signature("def orthonormalized(orbitals: Orbitals, how: str = 'loewdin', *, ", ") -> Orbitals"));
  module.def(
      "overlaps", &overlaps_of, "a"_a, "b"_a, "options"_a,
      "<a_i|b_j> of all bands of two sets with the same k-points and waves: an array (spin, k, i, j), the same on "
      "every rank. Collective.",
      move_signature("def overlaps(a: Orbitals, b: Orbitals, *, ", ") -> numpy.ndarray"));
}

}  // namespace

void bind_symmetry(nb::module_& module) {
  bind_maps(module);
  bind_bases(module);
}

}  // namespace seiche::python
