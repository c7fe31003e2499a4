// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory, spread over ranks.
#include "orbitals.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "callback.hpp"
#include "communicators.hpp"
#include "nouns.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;
using Pair = std::pair<std::int64_t, std::int64_t>;

const Keywords<MoveOptions>& move_keywords() {
  static const Keywords<MoveOptions> known = [] {
    auto all = keywords_of<MoveOptions>();
    all["on_progress"] = [](MoveOptions& o, nb::handle given) { o.on_progress = progress_function(given); };
    return all;
  }();
  return known;
}

/// Of a k-point's waves, by a Python function of k and the waves (n, 3).
PlaneWaveOwners owners_by(nb::handle given) {
  if (given.is_none()) return nullptr;
  const Callback function{nb::borrow(given)};
  return [function](int k, std::span<const Miller> waves) {
    const nb::gil_scoped_acquire locked;
    try {
      const Array all = array_of_waves(std::vector<Miller>(waves.begin(), waves.end()));
      return nb::cast<std::vector<int>>(function.get()(k, all));
    } catch (const nb::python_error& raised) {
      throw Error(Fault::bad_argument, "python: owners raised " + sentence_of(raised));
    } catch (const nb::cast_error&) {
      throw TypeError("python: owners must return one integer for each wave");
    }
  };
}

Extents extents_of(const OrbitalPart& part, int spinor) {
  const auto waves = static_cast<std::int64_t>(part.waves.size());
  if (spinor == 2) return {part.bands.size(), 2, waves};
  return {part.bands.size(), waves};
}

OrbitalPart make_part(int spin, int k, const Pair& bands, const std::vector<Pair>& positions, const Array& waves,
                      int spinor) {
  OrbitalPart part;
  part.spin = spin;
  part.k = k;
  part.bands = {bands.first, bands.second};
  for (const auto& [low, high] : positions) part.positions.push_back({low, high});
  const auto given = waves_of(waves, "waves");
  part.waves.assign(given.begin(), given.end());
  part.coefficients.resize(static_cast<std::size_t>(part.bands.size() * spinor) * part.waves.size());
  return part;
}

Orbitals make(const OrbitalHeader& header, const nb::sequence& waves, const OrbitalLayout& layout, const Comm& comm) {
  const Communicator own = communicator(comm);
  std::vector<std::vector<Miller>> all;
  std::optional<Orbitals> made;
  collective(
      own,
      [&] {
        for (const nb::handle one : waves) {
          const auto given = waves_of(nb::borrow<Array>(one), "waves");
          all.emplace_back(given.begin(), given.end());
        }
      },
      [&] { made.emplace(make_orbitals(own, header, all, layout)); });
  return std::move(*made);
}

Array coefficients_of(nb::handle self) {
  auto& part = nb::cast<OrbitalPart&>(self);
  const std::int64_t one = part.bands.size() * static_cast<std::int64_t>(part.waves.size());
  const int spinor = one > 0 && static_cast<std::int64_t>(part.coefficients.size()) == 2 * one ? 2 : 1;
  return array_on(part.coefficients.data(), extents_of(part, spinor), self);
}

Array waves_of_part(nb::handle self) {
  auto& part = nb::cast<OrbitalPart&>(self);
  return array_on(reinterpret_cast<const std::int32_t*>(part.waves.data()),
                  {static_cast<std::int64_t>(part.waves.size()), 3}, self);
}

std::vector<Pair> positions_of(const OrbitalPart& part) {
  std::vector<Pair> positions;
  for (const Range& range : part.positions) positions.emplace_back(range.low, range.high);
  return positions;
}

nb::list parts_of(nb::handle self) {
  nb::list parts;
  for (OrbitalPart& part : nb::cast<Orbitals&>(self).parts)
    parts.append(nb::cast(&part, nb::rv_policy::reference_internal, self));
  return parts;
}

std::string text_of(const Orbitals& orbitals) {
  std::int64_t here = 0;
  for (const OrbitalPart& part : orbitals.parts) here += static_cast<std::int64_t>(part.coefficients.size());
  return "<seiche.Orbitals: " + std::to_string(orbitals.header.kpoints.size()) + " k-points, " +
         std::to_string(orbitals.header.bands) + " bands, spread over " + std::to_string(orbitals.comm.size()) +
         " ranks, here " + std::to_string(orbitals.parts.size()) + " parts of " + std::to_string(here) +
         " coefficients>";
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
      .def(
          "__init__",
          [](OrbitalPart* self, int spin, int k, const Pair& bands, const std::vector<Pair>& positions,
             const Array& waves,
             int spinor) { new (self) OrbitalPart(make_part(spin, k, bands, positions, waves, spinor)); },
          "spin"_a, "k"_a, "bands"_a, "positions"_a, "waves"_a, "spinor"_a = 1)
      .def_ro("spin", &OrbitalPart::spin, "Its spin.")
      .def_ro("k", &OrbitalPart::k, "Its k-point.")
      .def_prop_ro(
          "bands", [](const OrbitalPart& self) { return Pair(self.bands.low, self.bands.high); },
          "First band, and one after the last.")
      .def_prop_ro("positions", &positions_of, "Runs of positions of its waves in the k-point's order.")
      .def_prop_ro("waves", &waves_of_part, "An int32 array (n, 3) in the part's memory, read-only.",
                   nb::sig("def waves(self) -> numpy.ndarray"))
      .def_prop_ro(
          "coefficients", &coefficients_of,
          "(bands, n), of spinors (bands, 2, n): a complex array in the part's own memory. Change it in place.",
          nb::sig("def coefficients(self) -> numpy.ndarray"));
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
      .def(
          "__init__",
          [](OrbitalLayout* self, int kpoints, int bands, int waves, nb::handle owners) {
            new (self) OrbitalLayout{{kpoints, bands, waves}, owners_by(owners)};
          },
          "kpoints"_a = 1, "bands"_a = 1, "waves"_a = 1, "owners"_a = nb::none())
      .def_prop_ro(
          "grid",
          [](const OrbitalLayout& self) { return nb::make_tuple(self.grid.kpoints, self.grid.bands, self.grid.waves); },
          "Groups of k-points, bands, waves.", nb::sig("def grid(self) -> tuple[int, int, int]"))
      .def("__repr__", [](const OrbitalLayout& self) {
        return "<seiche.OrbitalLayout of " + std::to_string(self.grid.kpoints) + " groups of k-points x " +
               std::to_string(self.grid.bands) + " of bands x " + std::to_string(self.grid.waves) + " of waves" +
               (self.owners ? ", with owners" : "") + ">";
      });
}

}  // namespace

MoveOptions move_options(const nb::kwargs& given) { return options_of(given, move_keywords()); }

nb::sig move_signature(const std::string& before, const std::string& after) {
  return signature<MoveOptions>(before, ", on_progress: collections.abc.Callable[[float], None] | None = None" + after);
}

void bind_orbitals(nb::module_& module) {
  bind_part(module);
  bind_layout_of_orbitals(module);
  nb::class_<Orbitals>(module, "Orbitals", R"(Wavefunctions spread over the ranks of a communicator.

Parameters
----------
header : OrbitalHeader
parts : sequence of OrbitalPart
    What this rank holds, in the order of spin, then k; copied. Together the ranks hold each coefficient once.
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.

One thread at a time may be in a call on its communicator; do not change values meanwhile.)")
      .def(
          "__init__",
          [](Orbitals* self, const OrbitalHeader& header, std::vector<OrbitalPart> parts, const Comm& comm) {
            new (self) Orbitals{communicator(comm), header, std::move(parts)};
          },
          "header"_a, "parts"_a, "comm"_a = nb::none())
      .def_prop_rw(
          "header", [](Orbitals& self) -> OrbitalHeader& { return self.header; },
          [](Orbitals& self, const OrbitalHeader& header) {
            require_free(self.comm);
            self.header = header;
          },
          nb::rv_policy::reference_internal, "The OrbitalHeader.")
      .def_prop_ro("parts", &parts_of, "This rank's parts.", nb::sig("def parts(self) -> list[OrbitalPart]"))
      .def("__repr__", [](const Orbitals& self) { return text_of(self); });
  module.def("make_orbitals", &make, "header"_a, "waves"_a, "layout"_a, "comm"_a = nb::none(),
             R"(Orbitals of zeros in a layout, to be filled in: orbitals.parts[i].coefficients. Collective.

`waves` are all waves of each k-point of the header, int32 arrays (n, 3), the same on every rank.)",
             nb::sig("def make_orbitals(header: OrbitalHeader, waves: collections.abc.Sequence[numpy.ndarray], layout: "
                     "OrbitalLayout, comm: mpi4py.MPI.Comm | None = None) -> Orbitals"));
  module.def(
      "redistribute",
      [](const Orbitals& orbitals, const OrbitalLayout& layout, const nb::kwargs& options) {
        return moving(orbitals.comm, options,
                      [&](const MoveOptions& how) { return redistribute(orbitals, layout, how); });
      },
      "orbitals"_a, "layout"_a, "options"_a, "The same wavefunctions in another layout. Collective.",
      move_signature("def redistribute(orbitals: Orbitals, layout: OrbitalLayout, *, ", ") -> Orbitals"));
}

}  // namespace seiche::python
