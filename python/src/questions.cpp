// SPDX-License-Identifier: BSD-3-Clause
/// \file  Questions to a set of bands: edges of the gap, tables, cuts and averages of what lies on a grid; what
/// wannier90 asks, and bands of a supercell.
#include <nanobind/stl/map.h>
#include <seiche/averages.hpp>
#include <seiche/band_edges.hpp>
#include <seiche/cut.hpp>
#include <seiche/orbital_grid.hpp>
#include <seiche/table.hpp>
#include <seiche/unfold.hpp>
#include <seiche/wannier_file.hpp>

#include "bind.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

using List = std::vector<int>;

std::pair<double, std::string> zero_of(const OrbitalHeader& header) {
  const EnergyZero zero = energy_zero(header);
  return {zero.energy, zero.name};
}

void bind_edges(nb::module_& module) {
  bind_report<BandState>(module, "BandState", "One state: its place, counted from 0, and its energy.")
      .def_ro("spin", &BandState::spin, "Its spin.")
      .def_ro("k", &BandState::k, "Its k-point.")
      .def_ro("band", &BandState::band, "Its band.")
      .def_ro("energy", &BandState::energy, "Hartree.");
  bind_report<BandEdges>(module, "BandEdges", "Where occupied bands end and empty ones begin; None: there are none.")
      .def_ro("highest_occupied", &BandEdges::highest_occupied, "A BandState.")
      .def_ro("lowest_empty", &BandEdges::lowest_empty, "A BandState.")
      .def_ro("direct_occupied", &BandEdges::direct_occupied, "Of the direct gap.")
      .def_ro("direct_empty", &BandEdges::direct_empty, "Of the direct gap.")
      .def_ro("metallic", &BandEdges::metallic, "Whether bands cross the Fermi level.")
      .def_prop_ro("gap", &BandEdges::gap, "Hartree; 0 in a metal.")
      .def_prop_ro("direct_gap", &BandEdges::direct_gap, "Hartree; 0 in a metal.");
  module.def("band_edges", &band_edges, "header"_a, "spin"_a = nb::none(),
             "The edges of the gap, of all spins or of one. Local.");
  module.def("energy_zero", &zero_of, "header"_a,
             "The energy (hartree) from which others are told, and what it is, in words. Local.");
}

void write(const Table& table, const Path& path, const Comm& comm) {
  on(comm, [&](const Communicator& own) { write_table(own, table, path); });
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Columns with names, rows of numbers.")
      .def_ro("columns", &Table::columns, "Names, with units.")
      .def_prop_ro(
          "values",
          [](const Table& self) {
            return array_from(self.values, {static_cast<std::int64_t>(self.rows()), std::ssize(self.columns)});
          },
          "An array (rows, columns), a copy.");
  module.def("table_of_bands", &table_of_bands, "header"_a, "Energies and occupations, a row for each state. Local.");
  module.def("write_table", &write, "table"_a, "path"_a, "comm"_a = nb::none(),
             "Writes comma-separated values with a line of names. Collective.");
}

constexpr std::array<std::pair<std::string_view, OrbitalQuantity>, 5> quantities{
    {{"density", OrbitalQuantity::density},
     {"real", OrbitalQuantity::real},
     {"imaginary", OrbitalQuantity::imaginary},
     {"magnitude", OrbitalQuantity::magnitude},
     {"phase", OrbitalQuantity::phase}}};

Density orbital(const OpenFile& file, int band, int k, int spin, const std::string& part, int component,
                bool periodic) {
  const auto asked = [&] {
    OrbitalGridOptions options;
    options.quantity = named<OrbitalQuantity>("part", part, quantities);
    options.component = component;
    options.periodic = periodic;
    return file.get(), options;
  };
  return collective(file.comm, asked, [&](const OrbitalGridOptions& options) {
    std::optional<Density> made;
    each_orbital(file.get(), {{band}, {k}, {spin}}, options,
                 [&](const BandState&, const Density& values) { made = values; });
    return std::move(*made);
  });
}

std::vector<std::string> left_out_of(const OrbitalHeader& header, const List& bands, const List& kpoints,
                                     const List& spins) {
  return left_out(header, {bands, kpoints, spins});
}

std::vector<double> filled_states(const OrbitalHeader& header, const List& bands, const List& kpoints,
                                  const List& spins, std::optional<double> lowest, std::optional<double> highest) {
  return filled(header, {{bands, kpoints, spins}, lowest, highest});
}

void bind_states(nb::module_& module) {
  module.def("left_out", &left_out_of, "header"_a, "bands"_a = nb::tuple(), "kpoints"_a = nb::tuple(),
             "spins"_a = nb::tuple(), "What goes when only these are left, in sentences. Local.");
  module.def("filled", &filled_states, "header"_a, "bands"_a = nb::tuple(), "kpoints"_a = nb::tuple(),
             "spins"_a = nb::tuple(), "lowest"_a = nb::none(), "highest"_a = nb::none(),
             "Occupations of 1 for the chosen states (energies in hartree) and 0 for others, for density_of. Local.");
  module.def(
      "orbital", &orbital, "file"_a, "band"_a, "k"_a = 0, "spin"_a = 0, "part"_a = "density", "component"_a = 0,
      "periodic"_a = false,
      R"(One band on the header's grid, as a Density: its density, real, imaginary, magnitude or phase. Collective.

`component` of spinors: 1 up, 2 down. docs/questions.md says how the phase is fixed.)");
}

void bind_averages(nb::module_& module) {
  module.def("planar_average", together(&planar_average), "values"_a, "axis"_a,
             "Means over the planes that two lattice vectors span, along the third (0, 1, 2), as a Table. Collective.");
  module.def("macroscopic_average", &macroscopic_average, "planar"_a, "length"_a,
             "Adds to a planar average its running means over a length (bohr). Local.");
  module.def("difference", together(&difference), "a"_a, "b"_a,
             "a - b, of two densities on the same grid. Collective.");
  module.def(
      "line_cut", together(&line_cut), "values"_a, "start"_a, "end"_a, "points"_a = 101,
      R"(Values from `start` to `end` (units of the lattice), as a Table: distance_bohr, x, y, z, a column for each component. Collective.

Between points of the grid they are those of its waves.)");
  module.def(
      "height_cut", together(&height_cut), "values"_a, "axis"_a, "height"_a,
      R"(Values so high (bohr) above the plane of two lattice vectors, `axis` (0, 1, 2) being the third, as a Table. Collective.

A row for each point of the grid along the two, the first fastest: x_bohr, y_bohr, a column for each component.)");
}

Plane plane_of_hkl(const Crystal& crystal, const std::array<int, 3>& hkl, double distance) {
  return plane_of_indices(crystal, {hkl[0], hkl[1], hkl[2]}, distance);
}

void bind_planes(nb::module_& module) {
  bind_report<Plane>(module, "Plane", "A square piece of a plane, cartesian, bohr.")
      .def_prop_ro("centre", &as_array<&Plane::centre>, "Its middle.")
      .def_prop_ro("right", &as_array<&Plane::right>, "A unit vector.")
      .def_prop_ro("up", &as_array<&Plane::up>, "A unit vector, perpendicular to `right`.")
      .def_rw("side", &Plane::side, "How wide and high it is.")
      .def_ro("name", &Plane::name, "Which plane it is, in words.");
  module.def("plane_of_bonds", &plane_of_bonds, "crystal"_a,
             "Through the most tightly bound atom and its two nearest neighbours. Local.");
  module.def("plane_of_atoms", &plane_of_atoms, "crystal"_a, "atoms"_a,
             "Through three atoms, counted from 0, and their images nearest to the first. Local.");
  module.def("plane_of_indices", &plane_of_hkl, "crystal"_a, "hkl"_a, "distance"_a = 0.0,
             "The lattice plane (hkl) at a distance (bohr) from the origin. Local.");
  nb::class_<PlaneValues>(module, "PlaneValues", "One component of a quantity on a plane.")
      .def_prop_ro(
          "values",
          [](const PlaneValues& self) {
            return array_from(self.values, {self.pixels, self.pixels});
          },
          "An array (row, column), rows from the top; points are in the middle of pixels. A copy.")
      .def_ro("largest_anywhere", &PlaneValues::largest_anywhere, "The largest |value| on the whole grid.")
      .def_prop_ro("is_noise", &PlaneValues::is_noise,
                   "Whether all is below 1e-4 of that, where the ripples of a cut-off show.");
  module.def("plane_values", together(&plane_values), "density"_a, "plane"_a, "pixels"_a = 300, "component"_a = 0,
             "A component on a plane, on every rank, within 1e-5 of the largest value. Collective.");
}

constexpr std::array<std::pair<std::string_view, BandWeight>, 3> band_weights{
    {{"isolated", BandWeight::full}, {"erfc", BandWeight::erfc}, {"gaussian", BandWeight::gaussian}}};

/// Projections without trial orbitals; nothing where `scdm` is empty.
std::optional<SelectedColumns> columns_of(const WannierRequest& request, const std::string& scdm, double centre,
                                          double width) {
  if (scdm.empty()) return std::nullopt;
  if (request.automatic) {
    return SelectedColumns{*request.automatic, named<BandWeight>("scdm", scdm, band_weights), centre, width};
  }
  throw Error(Fault::bad_argument,
              request.path + " does not give the number of projections: set auto_projections in the .win");
}

Table unfold_bands(const OpenFile& file, const CellMultiples& times, std::int64_t memory,
                   const OnProgress& on_progress) {
  MoveOptions options;
  options.policy.memory = memory;
  options.on_progress = progress_function(on_progress);
  return collective(file, [&](const WaveFile& waves) { return unfold(waves, times, options); });
}

std::vector<std::string> write_matrices(const OpenFile& file, const WannierRequest& request, const Path& seed,
                                        const std::string& scdm, double centre, double width, bool on_grid, int spin,
                                        std::int64_t memory) {
  const auto asked = [&] {
    WannierOptions options;
    options.on_grid = on_grid;
    options.spin = spin;
    options.move.policy.memory = memory;
    options.columns = columns_of(request, scdm, centre, width);
    return file.get(), options;
  };
  return collective(file.comm, asked,
                    [&](const WannierOptions& options) { return write_wannier(file.get(), request, seed, options); });
}

WannierMatrices matrices(const Orbitals& orbitals, const WannierRequest& request, const std::string& scdm,
                         double centre, double width) {
  return collective(
      orbitals.comm, [&] { return columns_of(request, scdm, centre, width); },
      [&](const auto& columns) { return wannier_matrices(orbitals, request, columns); });
}

Array overlaps_of(const WannierMatrices& self) {
  const auto matrices = flat(self.overlaps);
  const auto neighbours = self.overlaps.empty() ? 0 : std::ssize(self.overlaps[0]);
  return array_from(flat(matrices), {std::ssize(self.overlaps), neighbours, self.bands, self.bands});
}

Array neighbours_of(const WannierRequest& self) {
  std::vector<std::int64_t> all;
  for (const KNeighbour& one : flat(self.neighbours))
    all.insert(all.end(), {one.k, one.shift.x, one.shift.y, one.shift.z});
  const auto each = self.neighbours.empty() ? 0 : std::ssize(self.neighbours[0]);
  return array_from(std::move(all), {std::ssize(self.neighbours), each, 4});
}

std::map<std::string, std::vector<int>> wanted(const WannierRequest& request, const OrbitalHeader& header, int spin) {
  const Selection states = wanted_states(request, header, spin);
  return {{"bands", states.bands}, {"spins", states.spins}};
}

void bind_request(nb::module_& module) {
  nb::class_<WannierRequest>(module, "WannierRequest", "What a .nnkp of wannier90 asks for.")
      .def_ro("path", &WannierRequest::path, "The file.")
      .def_prop_ro("kpoints", &as_array<&WannierRequest::kpoints>,
                   "The full zone, (k, 3), in units of the reciprocal vectors.")
      .def_prop_ro(
          "neighbours", &neighbours_of,
          "(k, neighbour, 4): of each k-point those next to it, as a number from 0 and whole reciprocal vectors.")
      .def_ro("automatic", &WannierRequest::automatic, "So many projections without trial orbitals; None: no such.")
      .def_ro("excluded_bands", &WannierRequest::excluded_bands, "From 0, ascending.");
  module.def("read_nnkp", by_path(&read_nnkp), "path"_a, "comm"_a = nb::none(),
             "What `wannier90.x -pp` asks for. Collective.");
  module.def("wanted_states", &wanted, "request"_a, "header"_a, "spin"_a = 0,
             "Bands and spin that are asked for, as keywords of WaveFile.select. Local.");
}

void bind_matrices(nb::module_& module) {
  using Matrices = WannierMatrices;
  nb::class_<Matrices>(module, "WannierMatrices", "Overlaps and projections, as makers of Wannier functions ask.")
      .def_prop_ro("overlaps", &overlaps_of, "<u_mk|u_n,k+b>, an array (k, neighbour, m, n), a copy.")
      .def_prop_ro(
          "projections",
          [](const Matrices& self) {
            return array_from(flat(self.projections), {std::ssize(self.projections), self.bands, self.functions});
          },
          "<psi_mk|g_n>, an array (k, m, n), a copy; of none (0, m, n).")
      .def_prop_ro(
          "energies",
          [](const Matrices& self) {
            return array_from(self.energies, {std::ssize(self.overlaps), self.bands});
          },
          "Hartree, (k, band), a copy.");
  module.def(
      "wannier_matrices", &matrices, "orbitals"_a, "request"_a, "scdm"_a = "", "centre"_a = 0.0, "width"_a = 0.0,
      R"(Overlaps and projections of orbitals of one spin, with the bands that are asked for (wanted_states). Collective.

`scdm`: projections on selected columns of the density matrix, with bands weighed as "isolated", "erfc" or "gaussian"
(centre and width in hartree); "": on the trial orbitals of the request. The same bits on any number of ranks.)");
  module.def(
      "write_wannier", &write_matrices, "file"_a, "request"_a, "seed"_a, "scdm"_a = "", "centre"_a = 0.0,
      "width"_a = 0.0, "on_grid"_a = false, "spin"_a = 0, "memory"_a = 0,
      R"(SEED.mmn, .eig and .amn, and with on_grid UNK files, of a file's states, which are to be the wanted ones. Collective.

Returns the files. `scdm`, `centre` and `width` as for wannier_matrices; `spin` is for names of UNK files; `memory`: bytes
of each process for data on their way, 0: no limit.)");
}

void bind_wannier(nb::module_& module) {
  bind_request(module);
  bind_matrices(module);
  module.def("unfold", &unfold_bands, "file"_a, "times"_a, "memory"_a = 0, "on_progress"_a = nb::none(),
             R"(Spectral weights of a supercell's bands at the k-points of the primitive zone, as a Table. Collective.

Parameters
----------
file : WaveFile
times : 3 x 3 whole numbers
    A supercell's vectors as sums of the primitive ones: A_i = sum_j times[i][j] a_j.
memory : int
    Bytes of each process for bands on their way; 0: no limit.
on_progress : callable, optional
    Called with the fraction done.

Of spinors the table has <sigma_x>, <sigma_y>, <sigma_z> beside the weights (docs/questions.md).)");
}

}  // namespace

void bind_questions(nb::module_& module) {
  bind_edges(module);
  bind_table(module);
  bind_states(module);
  bind_averages(module);
  bind_planes(module);
  bind_wannier(module);
}

}  // namespace seiche::python
