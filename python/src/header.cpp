// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is known of orbitals besides their coefficients.
#include "nouns.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <seiche/orbital_header.hpp>

#include "arrays.hpp"
#include "options.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

const Words<Magnetism> magnetisms{
    {"none", Magnetism::none}, {"collinear", Magnetism::collinear}, {"vector", Magnetism::vector}};
const Words<NormConserving> kinds_of_norm{
    {"no", NormConserving::no}, {"yes", NormConserving::yes}, {"unknown", NormConserving::unknown}};

std::int64_t number_of(const std::vector<KPoint>& kpoints) { return static_cast<std::int64_t>(kpoints.size()); }

Array kpoints_of(const OrbitalHeader& header) {
  std::vector<double> values;
  for (const KPoint& point : header.kpoints) values.insert(values.end(), point.k.begin(), point.k.end());
  return array_from(std::move(values), {number_of(header.kpoints), 3});
}
Array weights_of(const OrbitalHeader& header) {
  std::vector<double> values;
  for (const KPoint& point : header.kpoints) values.push_back(point.weight);
  return array_from(std::move(values), {number_of(header.kpoints)});
}
Array plane_waves_of(const OrbitalHeader& header) {
  std::vector<std::int64_t> values;
  for (const KPoint& point : header.kpoints) values.push_back(point.plane_waves);
  return array_from(std::move(values), {number_of(header.kpoints)});
}

void set_kpoints(OrbitalHeader& header, const std::vector<Vector3>& points, const std::vector<double>& weights,
                 const std::vector<std::int64_t>& plane_waves) {
  if (points.size() != weights.size() || points.size() != plane_waves.size()) {
    throw Error(Fault::bad_argument, "python: each k-point needs a weight and a number of plane waves");
  }
  header.kpoints.clear();
  for (std::size_t i = 0; i < points.size(); ++i) header.kpoints.push_back({points[i], weights[i], plane_waves[i]});
  const std::size_t states = static_cast<std::size_t>(header.spins * header.bands) * points.size();
  header.energies.assign(states, 0);
  header.occupations.assign(states, 0);
}

Extents states_of(const OrbitalHeader& header) { return {header.spins, number_of(header.kpoints), header.bands}; }

Array array_of_states(const OrbitalHeader& header, std::vector<double> values) {
  if (static_cast<std::int64_t>(values.size()) != product_of(states_of(header)))
    values.resize(static_cast<std::size_t>(product_of(states_of(header))));
  return array_from(std::move(values), states_of(header));
}

/// energies or occupations
template <std::vector<double> OrbitalHeader::*member>
void set_states(OrbitalHeader& header, const Array& values) {
  const auto given = span_of<const double>(values, "energies or occupations", states_of(header));
  (header.*member).assign(given.begin(), given.end());
}

std::string text_of(const OrbitalHeader& h) {
  return "<seiche.OrbitalHeader, " + h.format + ": " + std::to_string(h.kpoints.size()) + " k-points, " +
         std::to_string(h.bands) + " bands" +
         (h.spins == 2    ? " of 2 spins"
          : h.spinor == 2 ? " of spinors"
                          : "") +
         ", grid " + python::text_of(Extents{h.grid.nx, h.grid.ny, h.grid.nz}) + ">";
}

void bind_states(nb::class_<OrbitalHeader>& header) {
  header.def_prop_ro("kpoints", &kpoints_of, "In units of b1, b2, b3: a new array (k, 3).")
      .def_prop_ro("weights", &weights_of, "Of the k-points, summing to 1: a new array (k,).")
      .def_prop_ro("plane_waves", &plane_waves_of, "Of each k-point: a new int64 array (k,).")
      .def("set_kpoints", &set_kpoints, "kpoints"_a, "weights"_a, "plane_waves"_a,
           R"(Replaces the k-points; energies and occupations become zeros of the shape that they then have. Local.)")
      .def_prop_rw(
          "energies", [](const OrbitalHeader& self) { return array_of_states(self, self.energies); },
          &set_states<&OrbitalHeader::energies>, "Hartree: a new array (spin, k, band).")
      .def_prop_rw(
          "occupations", [](const OrbitalHeader& self) { return array_of_states(self, self.occupations); },
          &set_states<&OrbitalHeader::occupations>, "Electrons of one spin state, 0 to 1: a new array (spin, k, band).")
      .def_rw("spins", &OrbitalHeader::spins, "1 or 2 sets of bands.")
      .def_rw("spinor", &OrbitalHeader::spinor, "Components of one wavefunction, 1 or 2.")
      .def_rw("bands", &OrbitalHeader::bands, "Of each spin.")
      .def_rw("half_sphere", &OrbitalHeader::half_sphere, "Of each pair G, -G one is kept.")
      .def_prop_ro("degeneracy", &OrbitalHeader::degeneracy, "Electrons that one full band of weight 1 holds.");
}

void bind_rest(nb::class_<OrbitalHeader>& header) {
  header.def_rw("format", &OrbitalHeader::format, "Of the file, in words.")
      .def_rw("path", &OrbitalHeader::path, "Of the file.")
      .def_rw("crystal", &OrbitalHeader::crystal, "The Crystal.")
      .def_prop_rw(
          "grid", [](const OrbitalHeader& self) { return tuple_of(self.grid); },
          [](OrbitalHeader& self, nb::handle shape) { self.grid = grid_shape_of(shape); },
          "Points (nx, ny, nz) of the density's grid.", nb::sig("def grid(self) -> tuple[int, int, int]"))
      .def_rw("cutoff", &OrbitalHeader::cutoff, "Of the wavefunctions, hartree.")
      .def_rw("density_cutoff", &OrbitalHeader::density_cutoff, "Of the density, hartree.")
      .def_prop_rw(
          "norm_conserving", [](const OrbitalHeader& self) { return word_of(self.norm_conserving, kinds_of_norm); },
          [](OrbitalHeader& self, const std::string& word) {
            self.norm_conserving = named("norm_conserving", word, kinds_of_norm);
          },
          "Whether the bands make the whole density: yes, no or unknown.")
      .def_prop_rw(
          "magnetism", [](const OrbitalHeader& self) { return word_of(self.magnetism, magnetisms); },
          [](OrbitalHeader& self, const std::string& word) { self.magnetism = named("magnetism", word, magnetisms); },
          "none, collinear or vector.")
      .def_rw("averaged", &OrbitalHeader::averaged, "Whether the code averages its density over the operations.")
      .def_rw("density_components", &OrbitalHeader::density_components, "Of the density beside the waves; 0: none.")
      .def_rw("electrons", &OrbitalHeader::electrons, "In the cell.")
      .def_rw("weighted", &OrbitalHeader::weighted, "False: the file has no weights of k-points.")
      .def_rw("mesh", &OrbitalHeader::mesh, "Of which the k-points are the irreducible ones; 0: not known.")
      .def_rw("mesh_shift", &OrbitalHeader::mesh_shift, "Of its first point from k = 0, in steps of the mesh.")
      .def_rw("total_energy", &OrbitalHeader::total_energy, nb::arg().none(), "Hartree, or None.")
      .def_rw("fermi_energy", &OrbitalHeader::fermi_energy, nb::arg().none(), "Hartree, or None.");
}

}  // namespace

void bind_header(nb::module_& module) {
  nb::class_<OrbitalHeader> header(module, "OrbitalHeader", R"(What is known of orbitals besides their coefficients.

Hartree and bohr. Arrays are new ones at each call; assign to change. Give `spins` and `bands` before set_kpoints().)");
  header.def(nb::init<>());
  header.def(nb::init<const OrbitalHeader&>(), "other"_a, "A copy.");
  bind_states(header);
  bind_rest(header);
  header.def("__repr__", [](const OrbitalHeader& self) { return text_of(self); });
}

}  // namespace seiche::python
