// SPDX-License-Identifier: BSD-3-Clause
/// \file  Analysis of wavefunctions: band edges, tables, cuts and averages of quantities on a grid, input of wannier90,
/// and unfolding.
#include <nanobind/stl/map.h>
#include <seiche/averages.hpp>
#include <seiche/band_edges.hpp>
#include <seiche/cut.hpp>
#include <seiche/orbital_grid.hpp>
#include <seiche/table.hpp>
#include <seiche/unfold.hpp>
#include <seiche/wannier_file.hpp>

#include "interface/density_members.hpp"
#include "py_bind.hpp"
#include "py_wavefile.hpp"

namespace seiche::python {

template <>
struct Given<const OrbitalGridOptions&> : GivenAsKeywords<OrbitalGridOptions> {};

namespace {

using List = std::vector<int>;

std::pair<double, std::string> zero_of(const OrbitalHeader& header) {
  const EnergyZero zero = energy_zero(header);
  return {zero.energy, zero.name};
}

void bind_edges(nb::module_& module) {
  bind_report<BandState>(module, "BandState", "One state: its indices (from 0) and its energy.")
      .def_ro("spin", &BandState::spin, "Index of the spin.")
      .def_ro("k", &BandState::k, "Index of the k-point.")
      .def_ro("band", &BandState::band, "Index of the band.")
      .def_ro("energy", &BandState::energy, "Energy, hartree.");
  bind_report<BandEdges>(module, "BandEdges", "Band edges; None: there is no such state.")
      .def_ro("highest_occupied", &BandEdges::highest_occupied, "Highest occupied BandState.")
      .def_ro("lowest_empty", &BandEdges::lowest_empty, "Lowest empty BandState.")
      .def_ro("direct_occupied", &BandEdges::direct_occupied, "Lower edge of the direct gap.")
      .def_ro("direct_empty", &BandEdges::direct_empty, "Upper edge of the direct gap.")
      .def_ro("metallic", &BandEdges::metallic, "Whether bands cross the Fermi level.")
      .def_prop_ro("gap", &BandEdges::gap, "Fundamental gap, hartree; 0 in a metal.")
      .def_prop_ro("direct_gap", &BandEdges::direct_gap, "Smallest direct gap, hartree; 0 in a metal.");
  module.def("band_edges", &band_edges, "header"_a, "spin"_a = nb::none(),
             "Finds the band edges of one spin, or of all spins. Local.");
  module.def("energy_zero", &zero_of, "header"_a,
             "Returns the reference of relative energies (hartree), and its description. Local.");
}

void write(const Table& table, const Path& path, const Comm& comm) {
  on(comm, [&](const Communicator& own) { write_table(own, table, path); });
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table", "A table of numbers with named columns.")
      .def_ro("columns", &Table::columns, "Names of the columns, with units.")
      .def_prop_ro(
          "values",
          [](const Table& self) {
            return array_from(self.values, {static_cast<std::int64_t>(self.rows()), std::ssize(self.columns)});
          },
          "Values, a new array (rows, columns).");
  module.def("table_of_bands", &table_of_bands, "header"_a,
             "Returns a table of energies and occupations with one row per state. Local.");
  Calls(module).def("write_table", &write, "table"_a, "path"_a, "comm"_a = nb::none(),
                    "Writes comma-separated values with the names in the first line. Collective.");
}

Density orbital(const WaveFile& file, int band, int k, int spin, const OrbitalGridOptions& options) {
  std::optional<Density> made;
  each_orbital(file, {{band}, {k}, {spin}}, options, [&](const BandState&, const Density& values) { made = values; });
  return std::move(*made);
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
             "spins"_a = nb::tuple(), "Returns sentences that describe the removed states. Local.");
  module.def("filled", &filled_states, "header"_a, "bands"_a = nb::tuple(), "kpoints"_a = nb::tuple(),
             "spins"_a = nb::tuple(), "lowest"_a = nb::none(), "highest"_a = nb::none(),
             "Returns occupations for density_of(): 1 for chosen states (energies in hartree), else 0. Local.");
  def_with<OrbitalGridOptions>(module, "orbital", together(&orbital),
                               R"(Computes one band on the header's grid, as a Density. Collective.

The arbitrary phase of the orbital is chosen so that the integral of psi^2 over the cell is real and positive.)",
                               "file"_a, "band"_a, "k"_a = 0, "spin"_a = 0);
}

void bind_averages(nb::module_& module) {
  Calls(module).def(
      "planar_average", together(&planar_average), "values"_a, "axis"_a,
      "Averages over planes of two lattice vectors, along the third one (0, 1, 2). Returns a Table. Collective.");
  module.def("macroscopic_average", &macroscopic_average, "planar"_a, "length"_a,
             "Adds macroscopic averages over `length` (bohr) to a planar average. Local.");
  Calls(module).def("difference", together(&difference), "a"_a, "b"_a,
                    "Returns a - b of two densities with the same grid and distribution. Collective.");
  Calls(module).def(
      "line_cut", together(&line_cut), "values"_a, "start"_a, "end"_a, "points"_a = 101,
      R"(Returns values on a line from `start` to `end` (units of the lattice vectors) as a Table. Collective.

Columns: distance_bohr, x, y, z, and one per component. Interpolation is trigonometric.)");
  Calls(module).def("height_cut", together(&height_cut), "values"_a, "axis"_a, "height"_a,
                    R"(Returns values on a plane parallel to two lattice vectors as a Table. Collective.

`axis` (0, 1, 2) is the index of the third vector; `height` is the distance from the plane through the origin (bohr). There
is one row per grid point in the plane, the first vector fastest: x_bohr, y_bohr, and one column per component.)");
}

Plane plane_of_hkl(const Crystal& crystal, const std::array<int, 3>& hkl, double distance) {
  return plane_of_indices(crystal, {hkl[0], hkl[1], hkl[2]}, distance);
}

void bind_plane_values(nb::module_& module) {
  nb::class_<PlaneValues>(module, "PlaneValues", "Values of one component on a plane.")
      .def_prop_ro(
          "values",
          [](const PlaneValues& self) {
            return array_from(self.values, {self.pixels, self.pixels});
          },
          "Values at the centres of pixels, a new array (row, column), rows from top to bottom.")
      .def_ro("largest_anywhere", &PlaneValues::largest_anywhere, "Largest |value| on the whole grid.")
      .def_prop_ro("is_noise", &PlaneValues::is_noise,
                   "Whether all values are below 1e-4 of largest_anywhere. Then cutoff ripples may dominate.");
  Calls(module).def("plane_values", together(&plane_values), "density"_a, "plane"_a, "pixels"_a = 300,
                    "component"_a = 0, "Returns the values of a component on a plane, on every rank. Collective.");
}

constexpr std::array<std::pair<std::string_view, BandWeight>, 3> band_weights{
    {{"isolated", BandWeight::full}, {"erfc", BandWeight::erfc}, {"gaussian", BandWeight::gaussian}}};

/// Returns options of projections without trial orbitals, or nothing if `scdm` is empty.
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
  nb::class_<WannierRequest>(module, "WannierRequest", "Contents of a .nnkp file of wannier90.")
      .def_ro("path", &WannierRequest::path, "Path of the file.")
      .def_prop_ro("kpoints", &as_array<&WannierRequest::kpoints>,
                   "k-points of the full zone (k, 3), in units of the reciprocal lattice vectors.")
      .def_prop_ro("neighbours", &neighbours_of,
                   "Neighbours of each k-point (k, neighbour, 4): index from 0, and reciprocal lattice vector.")
      .def_ro("automatic", &WannierRequest::automatic,
              "Number of projections without trial orbitals; None: trial orbitals are given.")
      .def_ro("excluded_bands", &WannierRequest::excluded_bands, "Indices from 0, ascending.");
  Calls(module).def("read_nnkp", by_path(&read_nnkp), "path"_a, "comm"_a = nb::none(),
                    "Reads a .nnkp file, which `wannier90.x -pp` writes. Collective.");
  module.def("wanted_states", &wanted, "request"_a, "header"_a, "spin"_a = 0,
             "Returns the requested bands and spin as keywords of WaveFile.select(). Local.");
}

void bind_matrices(nb::module_& module) {
  using Matrices = WannierMatrices;
  nb::class_<Matrices>(module, "WannierMatrices", "Overlaps and projections for Wannier functions.")
      .def_prop_ro("overlaps", &overlaps_of, "<u_mk|u_n,k+b>, a new array (k, neighbour, m, n).")
      .def_prop_ro(
          "projections",
          [](const Matrices& self) {
            return array_from(flat(self.projections), {std::ssize(self.projections), self.bands, self.functions});
          },
          "<psi_mk|g_n>, a new array (k, m, n); without projections (0, m, n).")
      .def_prop_ro(
          "energies",
          [](const Matrices& self) {
            return array_from(self.energies, {std::ssize(self.overlaps), self.bands});
          },
          "Energies, hartree, a new array (k, band).");
  Calls(module).def(
      "wannier_matrices", &matrices, "orbitals"_a, "request"_a, "scdm"_a = "", "centre"_a = 0.0, "width"_a = 0.0,
      R"(Computes overlaps and projections of orbitals of one spin with the requested bands (wanted_states()). Collective.

`scdm` selects projections on selected columns of the density matrix, with weights of bands "isolated", "erfc" or
"gaussian" (`centre` and `width` in hartree). Default: projections on the trial orbitals of the request. Results are bitwise
identical on any number of ranks.)");
  Calls(module).def("write_wannier", &write_matrices, "file"_a, "request"_a, "seed"_a, "scdm"_a = "", "centre"_a = 0.0,
                    "width"_a = 0.0, "on_grid"_a = false, "spin"_a = 0, "memory"_a = 0,
                    R"(Writes SEED.mmn, SEED.eig and SEED.amn, and UNK files with `on_grid`. Collective.

First select the wanted_states() of the file. Returns the names of the files. `scdm`, `centre` and `width` are the same as
for wannier_matrices(). `spin` is used in the names of UNK files. `memory` is the limit of memory for redistribution, in
bytes (0: default).)");
}

void bind_wannier(nb::module_& module) {
  bind_request(module);
  bind_matrices(module);
  Calls(module).def("unfold", &unfold_bands, "file"_a, "times"_a, "memory"_a = 0, "on_progress"_a = nb::none(),
                    R"(Computes spectral weights of a supercell's bands at primitive k-points, as a Table. Collective.

Parameters
----------
file : WaveFile
times : 3 x 3 integers
    Lattice vectors of the supercell in terms of the primitive ones: A_i = sum_j times[i][j] a_j.
memory : int
    Limit of memory for bands in flight on each process, bytes (0: default).
on_progress : callable, optional
    Called with the completed fraction.

For spinors the table also has <sigma_x>, <sigma_y> and <sigma_z>. Method: Popescu and Zunger, Phys. Rev. B 85, 085201
(2012).)");
}

}  // namespace

void bind_planes(nb::module_& module) {
  bind_report<Plane>(module, "Plane", "A square in a plane. Cartesian, bohr.")
      .def_prop_ro("centre", &as_array<&Plane::centre>, "Centre of the square.")
      .def_prop_ro("right", &as_array<&Plane::right>, "Unit vector to the right.")
      .def_prop_ro("up", &as_array<&Plane::up>, "Unit vector perpendicular to `right`.")
      .def_rw("side", &Plane::side, "Length of a side.")
      .def_ro("name", &Plane::name, "Description of the plane.");
  module.def("plane_of_bonds", &plane_of_bonds, "crystal"_a,
             "Returns the plane through the atom with the closest pair of neighbours, and these. Local.");
  module.def("plane_of_atoms", &plane_of_atoms, "crystal"_a, "atoms"_a,
             "Returns the plane through three atoms (indices from 0), at their images closest to the first. Local.");
  module.def("plane_of_indices", &plane_of_hkl, "crystal"_a, "hkl"_a, "distance"_a = 0.0,
             "Returns the lattice plane (hkl) at a distance (bohr) from the origin. Local.");
}

void bind_questions(nb::module_& module) {
  bind_edges(module);
  bind_table(module);
  bind_states(module);
  bind_averages(module);
  bind_plane_values(module);
  bind_wannier(module);
}

}  // namespace seiche::python
