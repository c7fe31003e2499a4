// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory, distributed over ranks; symmetry, and changes of basis.
#include <seiche/basis.hpp>
#include <seiche/symmetry.hpp>

#include "py_bind.hpp"
#include "py_pending.hpp"
#include "py_wavefile.hpp"

namespace seiche::python {

namespace {

/// Options of reassign(): changes of the basis, and redistribution.
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
      one("cutoff", "wavefunction cutoff, hartree", &BasisRequest::cutoff),
      one("density_cutoff", "density cutoff, hartree; None: scaled by the same factor as `cutoff`",
          &BasisRequest::density_cutoff),
      one("lattice", "lattice vectors (3, 3), bohr; waves keep their Miller indices", &BasisRequest::lattice),
      one("grid", "FFT grid of the density (nx, ny, nz)", &BasisRequest::grid),
      one("bands", "number of bands; more than before requires orthonormal=\"cholesky\"", &BasisRequest::bands),
      one("orthonormal", "method of orthonormalization: as_they_are, loewdin or cholesky", &BasisRequest::orthonormal),
      one("waves", "waves of each k-point, int32 arrays (n, 3); empty: all within the cutoff", &BasisRequest::waves)};
  nest(all, &Reassignment::how);
  return all;
}

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

/// Converts a Python function of k and waves (n, 3) that returns the owners of waves.
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
  return on(comm, [&](const Communicator& own) { return Orbitals{own, header, std::move(parts)}; });
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
  nb::class_<OrbitalPart>(module, "OrbitalPart",
                          R"(Part of one spin and k-point on one rank. Coefficients are zero initially.

Parameters
----------
spin, k : int
bands : tuple of int
    First band, and last band + 1.
positions : list of tuples of int
    Positions of the waves in the k-point's order: ascending ranges (first, last + 1).
waves : int32 array, (n, 3)
    Waves at these positions.
spinor : int
    Components of one wavefunction.)")
      .def("__init__", init(&make_part), "spin"_a, "k"_a, "bands"_a, "positions"_a, "waves"_a, "spinor"_a = 1)
      .def_ro("spin", &OrbitalPart::spin, "Index of the spin.")
      .def_ro("k", &OrbitalPart::k, "Index of the k-point.")
      .def_prop_ro("bands", &as_tuple<&OrbitalPart::bands>, "First band, and last band + 1.")
      .def_prop_ro("positions", &positions_of, "Ranges of positions of the waves in the k-point's order.")
      .def_prop_ro("waves", &waves_of_part, "Waves, a read-only int32 array (n, 3) in the part's memory.")
      .def_prop_ro("coefficients", &coefficients_of,
                   "Coefficients (bands, n), or (bands, 2, n) for spinors, in the part's memory; writable.");
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
                            R"(Process grid of kpoints x bands x waves groups for wavefunctions.

Parameters
----------
kpoints, bands, waves : int
    Number of groups along each axis. Their product must be the number of ranks.
owners : callable, optional
    owners(k, waves) returns the wave group of each of the waves (n, 3) of k-point k, equal on all ranks. Default:
    consecutive parts of nearly equal size.)")
      .def("__init__", init(&make_layout), "kpoints"_a = 1, "bands"_a = 1, "waves"_a = 1, "owners"_a = nb::none())
      .def_prop_ro(
          "grid",
          [](const OrbitalLayout& self) { return std::tuple(self.grid.kpoints, self.grid.bands, self.grid.waves); },
          "Number of groups of k-points, bands and waves.")
      .def("__repr__", &layout_text);
}

void set_header(Orbitals& orbitals, const OrbitalHeader& header) {
  require_free(orbitals.comm);
  orbitals.header = header;
}

void bind_maps(nb::module_& module) {
  bind_report<ParentState>(module, "ParentState", "Parent of the states of one spin and k-point.")
      .def_ro("spin", &ParentState::spin, "Spin in the original set.")
      .def_ro("k", &ParentState::k, "k-point in the original set.")
      .def_ro("operation", &ParentState::operation, "SymmetryOperation that maps the parent.");
  bind_report<KStarMap>(module, "KStarMap", "A set of k-points that is generated from another set by symmetry.")
      .def_ro("header", &KStarMap::header, "OrbitalHeader of the generated set.")
      .def_ro("parent_states", &KStarMap::parent_states, "Parents of all states, [spin][k] in one list.");
  module.def("full_zone", &full_zone, "header"_a, "operations"_a,
             "Returns the full Brillouin zone: all images of the k-points under the operations. Local.");
  module.def("moved", &moved, "header"_a, "operation"_a,
             "Returns the map of one operation that permutes the k-points. Local.");
  Calls(module).def("mapped", together(&mapped), "orbitals"_a, "map"_a,
                    "Returns the wavefunctions of map.header. No coefficients are sent. Collective.");
  def_with<MoveOptions>(module, "symmetric_bands", together(&symmetric_bands),
                        "Symmetrizes bands under the operations that keep their k-point. Collective.", "orbitals"_a,
                        "operations"_a);
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
  nb::class_<Reassigned>(module, "Reassigned", "Result of reassign().")
      .def_ro("orbitals", &Reassigned::orbitals, "Orbitals in the new basis.")
      .def_prop_ro("norm_lost", &norm_lost,
                   "Fraction of each band's norm on removed waves, a new array (spin, k, band).")
      .def_ro("left_out", &Reassigned::left_out, "Number of removed waves of each k-point.")
      .def_ro("added", &Reassigned::added, "Number of added waves of each k-point.");
  def_with<Reassignment>(module, "reassign", &reassign_by, R"(Returns the wavefunctions in another basis. Collective.

Parameters
----------
like : OrbitalHeader, optional
    Header with the requested cell, cutoffs and grid.)",
                         "orbitals"_a, "like"_a = nb::none());
  def_with<MoveOptions>(module, "orthonormalized", together(&orthonormalized),
                        "Orthonormalizes bands. `how`: loewdin or cholesky. Collective.", "orbitals"_a,
                        "how"_a = "loewdin");
  def_with<MoveOptions>(module, "overlaps", &overlaps_of,
                        "Returns <a_i|b_j> of two sets with the same k-points and waves: an array (spin, k, i, j) on "
                        "every rank. Collective.",
                        "a"_a, "b"_a);
}

PendingCall start_moving(const Orbitals& from, const OrbitalLayout& layout, const nb::kwargs& given) {
  const auto result = std::make_shared<Orbitals>(Orbitals{from.comm, from.header, {}});
  Pending pending = collective(
      from.comm, [&] { return options_of<MoveOptions>(given); },
      [&](const MoveOptions& options) { return start_redistribute(from, layout, *result, options); });
  PendingCall call = pending_call(from.comm, std::move(pending), nb::none(), nb::find(from));
  call.result = [result] { return nb::cast(std::move(*result)); };
  return call;
}

}  // namespace

void bind_orbitals(nb::module_& module) {
  bind_part(module);
  bind_layout_of_orbitals(module);
  nb::class_<Orbitals> orbitals(module, "Orbitals",
                                R"(Wavefunctions distributed over the ranks of a communicator. Collective.

Parameters
----------
header : OrbitalHeader
parts : sequence of OrbitalPart
    Parts of this rank, ordered by spin, then k. They are copied. Each coefficient must be in exactly one part.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)");
  Calls(orbitals).def("__init__", init(&of_parts), "header"_a, "parts"_a, "comm"_a = nb::none());
  orbitals
      .def_prop_rw(
          "header", [](Orbitals& self) -> OrbitalHeader& { return self.header; }, &set_header,
          nb::rv_policy::reference_internal, "OrbitalHeader of the set.")
      .def_prop_ro("parts", &parts_of, "List of this rank's parts.")
      .def("__repr__", &repr_of);
  Calls(module).def("make_orbitals", &make, "header"_a, "waves"_a, "layout"_a, "comm"_a = nb::none(),
                    R"(Creates orbitals with coefficients of zero in a layout. Collective.

Write to orbitals.parts[i].coefficients. `waves` has all waves of each k-point of the header, int32 arrays (n, 3), equal on
all ranks.)");
  constexpr Orbitals (*move_to)(const Orbitals&, const OrbitalLayout&, const MoveOptions&) = &redistribute;
  def_with<MoveOptions>(module, "redistribute", together(move_to),
                        "Returns the same wavefunctions in another layout. Collective.", "orbitals"_a, "layout"_a);
  def_with<MoveOptions>(module, "start_redistribute", &start_moving,
                        "Starts redistribute(). Returns a seiche.Pending. Collective.", "orbitals"_a, "layout"_a);
  bind_maps(module);
  bind_bases(module);
}

}  // namespace seiche::python
