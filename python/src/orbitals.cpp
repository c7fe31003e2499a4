// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory, spread over ranks; full zones by symmetry, and other bases.
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

using Pair = std::pair<std::int64_t, std::int64_t>;

/// Of a k-point's waves, by a Python function of k and the waves (n, 3).
PlaneWaveOwners owners_by(nb::handle given) {
  if (given.is_none()) return nullptr;
  const auto function = shared_with_lock(nb::borrow(given));
  return [function](int k, std::span<const Miller> waves) {
    const nb::gil_scoped_acquire locked;
    try {
      return nb::cast<std::vector<int>>((*function)(k, array_of_waves({waves.begin(), waves.end()})));
    } catch (const nb::python_error& raised) {
      throw BadArgument("the callback owners raised " + sentence_of(raised));
    } catch (const nb::cast_error&) {
      throw TypeError("the callback owners must return one integer per wave");
    }
  };
}

OrbitalPart make_part(int spin, int k, const Pair& bands, const std::vector<Pair>& positions, const Array& waves,
                      int spinor) {
  OrbitalPart part{spin, k, {bands.first, bands.second}, {}, list_of_waves(waves), {}};
  for (const auto& [low, high] : positions) part.positions.push_back({low, high});
  part.coefficients.resize(static_cast<std::size_t>(part.bands.size() * spinor) * part.waves.size());
  return part;
}

Orbitals make(const OrbitalHeader& header, const nb::typed<nb::sequence, Array>& waves, const OrbitalLayout& layout,
              const Comm& comm) {
  const Communicator own = communicator(comm);
  return collective(
      own, [&] { return member_of<ManyWaves>("waves", waves); },
      [&](const ManyWaves& all) { return make_orbitals(own, header, all, layout); });
}

Orbitals of_parts(const OrbitalHeader& header, std::vector<OrbitalPart> parts, const Comm& comm) {
  return {communicator(comm), header, std::move(parts)};
}

Array coefficients_of(nb::handle self) {
  auto& part = nb::cast<OrbitalPart&>(self);
  const std::int64_t waves = std::ssize(part.waves), one = part.bands.size() * waves;
  const bool is_spinor = one > 0 && std::ssize(part.coefficients) == 2 * one;
  const Extents shape = is_spinor ? Extents{part.bands.size(), 2, waves} : Extents{part.bands.size(), waves};
  return array_on(part.coefficients.data(), shape, self);
}

Array waves_of_part(nb::handle self) {
  const auto& waves = nb::cast<OrbitalPart&>(self).waves;
  return array_on(reinterpret_cast<const std::int32_t*>(waves.data()), {std::ssize(waves), 3}, self);
}

std::vector<Pair> positions_of(const OrbitalPart& part) {
  std::vector<Pair> positions;
  for (const Range& range : part.positions) positions.emplace_back(range.low, range.high);
  return positions;
}

nb::typed<nb::list, OrbitalPart> parts_of(nb::handle self) {
  nb::list parts;
  for (OrbitalPart& part : nb::cast<Orbitals&>(self).parts)
    parts.append(nb::cast(&part, nb::rv_policy::reference_internal, self));
  return nb::borrow<nb::typed<nb::list, OrbitalPart>>(parts);
}

nb::str repr_of(const Orbitals& orbitals) {
  std::size_t here = 0;
  for (const OrbitalPart& part : orbitals.parts) here += part.coefficients.size();
  return text("<seiche.Orbitals: {} k-points, {} bands, spread over {} ranks, here {} parts of {} coefficients>",
              orbitals.header.kpoints.size(), orbitals.header.bands, orbitals.comm.size(), orbitals.parts.size(), here);
}

void bind_part(nb::module_& module) {
  nb::class_<OrbitalPart>(module, "OrbitalPart", R"(What one rank holds of one spin and k-point.

Parameters
----------
spin, k : int
bands : tuple of int
    First, and one after the last.
positions : list of tuples of int
    Of its waves in the k-point's order: runs (first, one after the last), ascending.
waves : int32 array, (n, 3)
    At these positions, in this order.
spinor : int
    Components of one wavefunction; coefficients begin as zeros.)")
      .def("__init__", init(&make_part), "spin"_a, "k"_a, "bands"_a, "positions"_a, "waves"_a, "spinor"_a = 1)
      .def_ro("spin", &OrbitalPart::spin, "Its spin.")
      .def_ro("k", &OrbitalPart::k, "Its k-point.")
      .def_prop_ro("bands", &as_tuple<&OrbitalPart::bands>, "First band, and one after the last.")
      .def_prop_ro("positions", &positions_of, "Runs of positions of its waves in the k-point's order.")
      .def_prop_ro("waves", &waves_of_part, "An int32 array (n, 3) in the part's memory, read-only.")
      .def_prop_ro(
          "coefficients", &coefficients_of,
          "(bands, n), of spinors (bands, 2, n): a complex array in the part's own memory. Change it in place.");
}

using Owners = Argument<"collections.abc.Callable[[int, numpy.ndarray], collections.abc.Sequence[int]]">;
OrbitalLayout make_layout(int kpoints, int bands, int waves, const Owners& owners) {
  return {{kpoints, bands, waves}, owners_by(owners)};
}

nb::str layout_text(const OrbitalLayout& self) {
  return text("<seiche.OrbitalLayout of {} groups of k-points x {} of bands x {} of waves{}>", self.grid.kpoints,
              self.grid.bands, self.grid.waves, self.owners ? ", with owners" : "");
}

void bind_layout_of_orbitals(nb::module_& module) {
  nb::class_<OrbitalLayout>(module, "OrbitalLayout",
                            R"(Where wavefunctions should be: ranks as kpoints x bands x waves groups.

Parameters
----------
kpoints, bands, waves : int
    Groups along each axis, as many in all as there are ranks.
owners : callable, optional
    owners(k, waves) for all waves (n, 3) of k-point k: which of the wave groups holds each. The same on every rank.
    Default: nearly equal parts in a row.)")
      .def("__init__", init(&make_layout), "kpoints"_a = 1, "bands"_a = 1, "waves"_a = 1, "owners"_a = nb::none())
      .def_prop_ro(
          "grid",
          [](const OrbitalLayout& self) { return std::tuple(self.grid.kpoints, self.grid.bands, self.grid.waves); },
          "Groups of k-points, bands, waves.")
      .def("__repr__", &layout_text);
}

void set_header(Orbitals& orbitals, const OrbitalHeader& header) {
  require_free(orbitals.comm);
  orbitals.header = header;
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
  def_with<MoveOptions>(module, "symmetric_bands", together(&symmetric_bands),
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

Array overlaps_of(const Orbitals& a, const Orbitals& b, const nb::kwargs& options) {
  const auto found = together(&overlaps)(a, b, options);
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
  def_with<MoveOptions>(module, "orthonormalized", together(&orthonormalized),
                        "Bands made orthonormal: loewdin or cholesky. Collective.", "orbitals"_a, "how"_a = "loewdin");
  def_with<MoveOptions>(module, "overlaps", &overlaps_of,
                        "<a_i|b_j> of all bands of two sets with the same k-points and waves: an array (spin, k, i, "
                        "j), the same on every rank. Collective.",
                        "a"_a, "b"_a);
}

}  // namespace

void bind_orbitals(nb::module_& module) {
  bind_part(module);
  bind_layout_of_orbitals(module);
  nb::class_<Orbitals>(module, "Orbitals", R"(Wavefunctions spread over the ranks of a communicator.

Parameters
----------
header : OrbitalHeader
parts : sequence of OrbitalPart
    What this rank holds, in the order of spin, then k; copied. Together the ranks hold each coefficient once.
comm : mpi4py.MPI.Comm, or another handle (docs/python.md), optional
    Collective over it. Default: all processes.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)")
      .def("__init__", init(&of_parts), "header"_a, "parts"_a, "comm"_a = nb::none())
      .def_prop_rw(
          "header", [](Orbitals& self) -> OrbitalHeader& { return self.header; }, &set_header,
          nb::rv_policy::reference_internal, "The OrbitalHeader.")
      .def_prop_ro("parts", &parts_of, "This rank's parts.")
      .def("__repr__", &repr_of);
  module.def("make_orbitals", &make, "header"_a, "waves"_a, "layout"_a, "comm"_a = nb::none(),
             R"(Orbitals of zeros in a layout, to be filled in: orbitals.parts[i].coefficients. Collective.

`waves` are all waves of each k-point of the header, int32 arrays (n, 3), the same on every rank.)");
  constexpr Orbitals (*move_to)(const Orbitals&, const OrbitalLayout&, const MoveOptions&) = &redistribute;
  def_with<MoveOptions>(module, "redistribute", together(move_to),
                        "The same wavefunctions in another layout. Collective.", "orbitals"_a, "layout"_a);
  bind_maps(module);
  bind_bases(module);
}

}  // namespace seiche::python
