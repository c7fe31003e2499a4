// SPDX-License-Identifier: BSD-3-Clause
/// \file  Questions to a set of bands: edges of the gap, tables.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <seiche/averages.hpp>
#include <seiche/band_edges.hpp>
#include <seiche/orbital_grid.hpp>
#include <seiche/table.hpp>

#include "arrays.hpp"
#include "communicators.hpp"
#include "nouns.hpp"
#include "options.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

void bind_edges(nb::module_& module) {
  nb::class_<BandState>(module, "BandState", "One state: its place, counted from 0, and its energy.")
      .def_ro("spin", &BandState::spin, "Its spin.")
      .def_ro("k", &BandState::k, "Its k-point.")
      .def_ro("band", &BandState::band, "Its band.")
      .def_ro("energy", &BandState::energy, "Hartree.");
  nb::class_<BandEdges>(module, "BandEdges", "Where occupied bands end and empty ones begin; None: there are none.")
      .def_ro("highest_occupied", &BandEdges::highest_occupied, "A BandState.")
      .def_ro("lowest_empty", &BandEdges::lowest_empty, "A BandState.")
      .def_ro("direct_occupied", &BandEdges::direct_occupied, "Of the direct gap.")
      .def_ro("direct_empty", &BandEdges::direct_empty, "Of the direct gap.")
      .def_ro("metallic", &BandEdges::metallic, "Whether bands cross the Fermi level.")
      .def_prop_ro("gap", &BandEdges::gap, "Hartree; 0 in a metal.")
      .def_prop_ro("direct_gap", &BandEdges::direct_gap, "Hartree; 0 in a metal.");
  module.def("band_edges", &band_edges, "header"_a, "spin"_a = nb::none(),
             "The edges of the gap, of all spins or of one. Local.",
             nb::sig("def band_edges(header: OrbitalHeader, spin: int | None = None) -> BandEdges"));
  module.def(
      "energy_zero",
      [](const OrbitalHeader& header) {
        const EnergyZero zero = energy_zero(header);
        return nb::make_tuple(zero.energy, zero.name);
      },
      "header"_a, "The energy (hartree) from which others are told, and what it is, in words. Local.",
      nb::sig("def energy_zero(header: OrbitalHeader) -> tuple[float, str]"));
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Columns with names, rows of numbers.")
      .def_ro("columns", &Table::columns, "Names, with units.")
      .def_prop_ro(
          "values",
          [](const Table& self) {
            return array_from(std::vector<double>(self.values),
                              {static_cast<std::int64_t>(self.rows()), static_cast<std::int64_t>(self.columns.size())});
          },
          "An array (rows, columns), a copy.");
  module.def("table_of_bands", &table_of_bands, "header"_a, "Energies and occupations, a row for each state. Local.");
  module.def(
      "write_table",
      [](const Table& table, nb::handle path, const Comm& comm) {
        const Communicator own = communicator(comm);
        const std::string name = path_of(path);
        collective(
            own, [] {}, [&] { write_table(own, table, name); });
      },
      "table"_a, "path"_a, "comm"_a = nb::none(), "Writes comma-separated values with a line of names. Collective.",
      nb::sig("def write_table(table: Table, path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> "
              "None"));
}

const Words<OrbitalQuantity> quantities{{"density", OrbitalQuantity::density},
                                        {"real", OrbitalQuantity::real},
                                        {"imaginary", OrbitalQuantity::imaginary},
                                        {"magnitude", OrbitalQuantity::magnitude},
                                        {"phase", OrbitalQuantity::phase}};

Density orbital(const OpenFile& file, int band, int k, int spin, const std::string& part, int component,
                bool periodic) {
  OrbitalGridOptions options;
  std::optional<Density> made;
  collective(
      file.comm,
      [&] {
        file.get();
        options.quantity = named("part", part, quantities);
        options.component = component;
        options.periodic = periodic;
      },
      [&] {
        each_orbital(file.get(), {{band}, {k}, {spin}}, options,
                     [&](const BandState&, const Density& values) { made = values; });
      });
  return std::move(*made);
}

void bind_states(nb::module_& module) {
  module.def(
      "left_out",
      [](const OrbitalHeader& header, const std::vector<int>& bands, const std::vector<int>& kpoints,
         const std::vector<int>& spins) {
        return left_out(header, {bands, kpoints, spins});
      },
      "header"_a, "bands"_a = std::vector<int>{}, "kpoints"_a = std::vector<int>{}, "spins"_a = std::vector<int>{},
      "What goes when only these are left, in sentences. Local.",
      nb::sig("def left_out(header: OrbitalHeader, bands: collections.abc.Sequence[int] = (), kpoints: "
              "collections.abc.Sequence[int] = (), spins: collections.abc.Sequence[int] = ()) -> list[str]"));
  module.def(
      "filled",
      [](const OrbitalHeader& header, const std::vector<int>& bands, const std::vector<int>& kpoints,
         const std::vector<int>& spins, std::optional<double> lowest, std::optional<double> highest) {
        return filled(header, {{bands, kpoints, spins}, lowest, highest});
      },
      "header"_a, "bands"_a = std::vector<int>{}, "kpoints"_a = std::vector<int>{}, "spins"_a = std::vector<int>{},
      "lowest"_a = nb::none(), "highest"_a = nb::none(),
      "Occupations of 1 for the chosen states (energies in hartree) and 0 for others, for density_of. Local.",
      nb::sig("def filled(header: OrbitalHeader, bands: collections.abc.Sequence[int] = (), kpoints: "
              "collections.abc.Sequence[int] = (), spins: collections.abc.Sequence[int] = (), lowest: float | None = "
              "None, highest: float | None = None) -> list[float]"));
  module.def(
      "orbital", &orbital, "file"_a, "band"_a, "k"_a = 0, "spin"_a = 0, "part"_a = "density", "component"_a = 0,
      "periodic"_a = false,
      R"(One band on the header's grid, as a Density: its density, real, imaginary, magnitude or phase. Collective.

`component` of spinors: 1 up, 2 down. docs/questions.md says how the phase is fixed.)");
}

void bind_averages(nb::module_& module) {
  const auto made_together = [](const Density& density, const auto& make) {
    std::optional<decltype(make())> made;
    collective(
        density.comm, [] {}, [&] { made = make(); });
    return std::move(*made);
  };
  module.def(
      "planar_average",
      [made_together](const Density& values, int axis) {
        return made_together(values, [&] { return planar_average(values, axis); });
      },
      "values"_a, "axis"_a,
      "Means over the planes that two lattice vectors span, along the third (0, 1, 2), as a Table. Collective.");
  module.def("macroscopic_average", &macroscopic_average, "planar"_a, "length"_a,
             "Adds to a planar average its running means over a length (bohr). Local.");
  module.def(
      "difference",
      [made_together](const Density& a, const Density& b) {
        return made_together(a, [&] { return difference(a, b); });
      },
      "a"_a, "b"_a, "a - b, of two densities on the same grid. Collective.");
}

}  // namespace

void bind_questions(nb::module_& module) {
  bind_edges(module);
  bind_table(module);
  bind_states(module);
  bind_averages(module);
}

}  // namespace seiche::python
