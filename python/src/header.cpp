// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is known of orbitals besides their coefficients.
#include <seiche/orbital_header.hpp>

#include "bind.hpp"

namespace seiche::python {

namespace {

using Header = OrbitalHeader;

constexpr std::array<std::pair<std::string_view, Magnetism>, 3> magnetisms{
    {{"none", Magnetism::none}, {"collinear", Magnetism::collinear}, {"vector", Magnetism::vector}}};
constexpr std::array<std::pair<std::string_view, NormConserving>, 3> kinds_of_norm{
    {{"no", NormConserving::no}, {"yes", NormConserving::yes}, {"unknown", NormConserving::unknown}}};

void set_kpoints(Header& header, const std::vector<Vector3>& points, const std::vector<double>& weights,
                 const std::vector<std::int64_t>& plane_waves) {
  if (points.size() != weights.size() || points.size() != plane_waves.size()) {
    throw BadArgument("each k-point needs a weight and a number of plane waves");
  }
  header.kpoints.clear();
  for (std::size_t i = 0; i < points.size(); ++i) header.kpoints.push_back({points[i], weights[i], plane_waves[i]});
  const std::size_t states = static_cast<std::size_t>(header.spins * header.bands) * points.size();
  header.energies.assign(states, 0);
  header.occupations.assign(states, 0);
}

Extents states_of(const Header& header) { return {header.spins, std::ssize(header.kpoints), header.bands}; }

/// energies or occupations
template <std::vector<double> Header::*member>
Array get_states(const Header& header) {
  std::vector<double> values = header.*member;
  values.resize(static_cast<std::size_t>(product_of(states_of(header))));
  return array_from(std::move(values), states_of(header));
}
template <std::vector<double> Header::*member>
void set_states(Header& header, const Array& values) {
  const auto given = span_of<const double>(values, "energies or occupations", states_of(header));
  (header.*member).assign(given.begin(), given.end());
}

/// A property that is one of some words.
template <class Enum, class Words>
void bind_word(nb::class_<Header>& header, const char* name, Enum Header::*member, const Words& words,
               const char* doc) {
  header.def_prop_rw(
      name, [member, &words](const Header& self) { return word_of(self.*member, words); },
      [member, name, &words](Header& self, const std::string& word) { self.*member = named<Enum>(name, word, words); },
      doc);
}

nb::str repr_of(const Header& h) {
  const char* spins = h.spins == 2 ? " of 2 spins" : h.spinor == 2 ? " of spinors" : "";
  return text("<seiche.OrbitalHeader, {}: {} k-points, {} bands{}, grid {}>", h.format, h.kpoints.size(), h.bands,
              spins, tuple_of(h.grid));
}

template <auto member>
Array of_kpoints(const Header& header) {
  return array_of(header.kpoints, member);
}

void bind_states(nb::class_<Header>& header) {
  header.def_prop_ro("kpoints", &of_kpoints<&KPoint::k>, "In units of b1, b2, b3: a new array (k, 3).")
      .def_prop_ro("weights", &of_kpoints<&KPoint::weight>, "Of the k-points, summing to 1: a new array (k,).")
      .def_prop_ro("plane_waves", &of_kpoints<&KPoint::plane_waves>, "Of each k-point: a new int64 array (k,).")
      .def("set_kpoints", &set_kpoints, "kpoints"_a, "weights"_a, "plane_waves"_a,
           "Replaces the k-points; energies and occupations become zeros of the shape that they then have. Local.")
      .def_prop_rw("energies", &get_states<&Header::energies>, &set_states<&Header::energies>,
                   "Hartree: a new array (spin, k, band).")
      .def_prop_rw("occupations", &get_states<&Header::occupations>, &set_states<&Header::occupations>,
                   "Electrons of one spin state, 0 to 1: a new array (spin, k, band).")
      .def_rw("spins", &Header::spins, "1 or 2 sets of bands.")
      .def_rw("spinor", &Header::spinor, "Components of one wavefunction, 1 or 2.")
      .def_rw("bands", &Header::bands, "Of each spin.")
      .def_rw("half_sphere", &Header::half_sphere, "Of each pair G, -G one is kept.")
      .def_prop_ro("degeneracy", &Header::degeneracy, "Electrons that one full band of weight 1 holds.");
}

void bind_rest(nb::class_<Header>& header) {
  header.def_rw("format", &Header::format, "Of the file, in words.")
      .def_rw("path", &Header::path, "Of the file.")
      .def_rw("crystal", &Header::crystal, "The Crystal.")
      .def_prop_rw(
          "grid", [](const Header& self) { return tuple_of(self.grid); },
          [](Header& self, const Shape& shape) { self.grid = grid_shape_of(shape); },
          "Points (nx, ny, nz) of the density's grid.")
      .def_rw("cutoff", &Header::cutoff, "Of the wavefunctions, hartree.")
      .def_rw("density_cutoff", &Header::density_cutoff, "Of the density, hartree.")
      .def_rw("averaged", &Header::averaged, "Whether the code averages its density over the operations.")
      .def_rw("density_components", &Header::density_components, "Of the density beside the waves; 0: none.")
      .def_rw("electrons", &Header::electrons, "In the cell.")
      .def_rw("weighted", &Header::weighted, "False: the file has no weights of k-points.")
      .def_rw("mesh", &Header::mesh, "Of which the k-points are the irreducible ones; 0: not known.")
      .def_rw("mesh_shift", &Header::mesh_shift, "Of its first point from k = 0, in steps of the mesh.")
      .def_rw("total_energy", &Header::total_energy, nb::arg().none(), "Hartree, or None.")
      .def_rw("fermi_energy", &Header::fermi_energy, nb::arg().none(), "Hartree, or None.");
  bind_word(header, "norm_conserving", &Header::norm_conserving, kinds_of_norm,
            "Whether the bands make the whole density: yes, no or unknown.");
  bind_word(header, "magnetism", &Header::magnetism, magnetisms, "none, collinear or vector.");
}

}  // namespace

void bind_header(nb::module_& module) {
  nb::class_<Header> header(module, "OrbitalHeader", R"(What is known of orbitals besides their coefficients.

Hartree and bohr. Arrays are new ones at each call; assign to change. Give `spins` and `bands` before set_kpoints().)");
  header.def(nb::init<>());
  header.def(nb::init<const Header&>(), "other"_a, "A copy.");
  bind_states(header);
  bind_rest(header);
  header.def("__repr__", &repr_of);
}

}  // namespace seiche::python
