// SPDX-License-Identifier: BSD-3-Clause
/// \file  Questions to a set of bands: edges of the gap, tables.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <seiche/band_edges.hpp>
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

}  // namespace

void bind_questions(nb::module_& module) {
  bind_edges(module);
  bind_table(module);
}

}  // namespace seiche::python
