// SPDX-License-Identifier: BSD-3-Clause
/// \file  Crystals, symmetry operations, and metadata of orbitals.
#include <seiche/orbital_header.hpp>

#include <map>

#include "py_bind.hpp"

namespace seiche::python {

namespace {

std::vector<Atom> atoms_of(const std::vector<std::string>& symbols, const std::vector<Vector3>& positions) {
  if (symbols.size() != positions.size()) {
    throw BadArgument(std::to_string(symbols.size()) + " symbols and " + std::to_string(positions.size()) +
                      " positions: pass one symbol and one position per atom");
  }
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < symbols.size(); ++i) atoms.push_back({symbols[i], positions[i]});
  return atoms;
}

std::vector<std::string> symbols_of(const Crystal& crystal) {
  std::vector<std::string> symbols;
  for (const Atom& atom : crystal.atoms) symbols.push_back(atom.symbol);
  return symbols;
}

nb::str crystal_text(const Crystal& crystal) {
  std::map<std::string, int> counts;
  for (const Atom& atom : crystal.atoms) ++counts[atom.symbol];
  std::string formula;
  for (const auto& [symbol, count] : counts) formula += symbol + (count > 1 ? std::to_string(count) : "");
  return text("<seiche.Crystal {}, {:.6f} bohr^3, {} operations>", formula, crystal.volume(),
              crystal.operations.size());
}

/// Objects of other packages, created by foreign.py.
using Foreign = Argument<"typing.Any">;
Foreign made_by(const char* function, nb::handle self) {
  return nb::borrow<Foreign>(nb::module_::import_("seiche.foreign").attr(function)(self));
}

constexpr const char* doc_of_operation =
    R"(Symmetry operation {R|t}: maps x, in units of the lattice vectors, to R x + t.

Parameters
----------
rotation : array_like of int, (3, 3)
translation : array_like, (3,)
time_reversal : bool
    Whether time reversal follows.)";

nb::str operation_text(nb::handle self) {
  return text("<seiche.SymmetryOperation {} + {}{}>", self.attr("rotation").attr("tolist")(),
              self.attr("translation").attr("tolist")(),
              nb::cast<bool>(self.attr("time_reversal")) ? ", time reversed" : "");
}

constexpr const char* doc_of_crystal = R"(Cell, atoms and symmetry operations. Bohr.

Parameters
----------
lattice : array_like, (3, 3)
    a1, a2, a3 as rows, bohr.
symbols : sequence of str
    Element symbols of the atoms.
positions : array_like, (atoms, 3)
    Cartesian positions, bohr.
operations : sequence of SymmetryOperation
    Symmetry operations, identity first; empty: unknown.)";

using Rotation = std::array<std::array<int, 3>, 3>;
SymmetryOperation make_operation(const Rotation& rotation, const Vector3& translation, bool time_reversal) {
  return {rotation, translation, time_reversal};
}

Crystal make_crystal(const std::array<Vector3, 3>& lattice, const std::vector<std::string>& symbols,
                     const std::vector<Vector3>& positions, const std::vector<SymmetryOperation>& operations) {
  return {lattice, atoms_of(symbols, positions), operations};
}

void bind_operation(nb::module_& module) {
  using Operation = SymmetryOperation;
  nb::class_<Operation>(module, "SymmetryOperation", doc_of_operation)
      .def("__init__", init(&make_operation), "rotation"_a, "translation"_a = Vector3{}, "time_reversal"_a = false)
      .def_prop_ro("rotation", &as_array<&Operation::rotation>, "R as rows, an int32 array (3, 3).")
      .def_prop_ro("translation", &as_array<&Operation::translation>, "t, in units of the lattice vectors, (3,).")
      .def_ro("time_reversal", &Operation::time_reversal, "Whether time reversal follows.")
      .def(
          "image_of", [](const Operation& self, const Vector3& k) { return image_of(self, k); }, "k"_a,
          "Returns the image of a k-point: R^-T k, or -R^-T k with time reversal. Local.")
      .def(
          "__matmul__", [](const Operation& second, const Operation& first) { return product(second, first); },
          "first"_a, "Returns this operation after `first`. Local.")
      .def(
          "inverse", [](const Operation& self) { return inverse(self); },
          "Returns the inverse operation {R^-1 | -R^-1 t}. Local.")
      .def("__repr__", &operation_text);
}

using Header = OrbitalHeader;

constexpr std::array<std::pair<std::string_view, Magnetism>, 3> magnetisms{
    {{"none", Magnetism::none}, {"collinear", Magnetism::collinear}, {"vector", Magnetism::vector}}};
constexpr std::array<std::pair<std::string_view, NormConserving>, 3> kinds_of_norm{
    {{"no", NormConserving::no}, {"yes", NormConserving::yes}, {"unknown", NormConserving::unknown}}};

void set_kpoints(Header& header, const std::vector<Vector3>& points, const std::vector<double>& weights,
                 const std::vector<std::int64_t>& plane_waves) {
  if (points.size() != weights.size() || points.size() != plane_waves.size()) {
    throw BadArgument(
        "the lists of k-points, weights and plane waves differ in length: pass one weight and one number of plane "
        "waves per k-point");
  }
  header.kpoints.clear();
  for (std::size_t i = 0; i < points.size(); ++i) header.kpoints.push_back({points[i], weights[i], plane_waves[i]});
  const std::size_t states = static_cast<std::size_t>(header.spins * header.bands) * points.size();
  header.energies.assign(states, 0);
  header.occupations.assign(states, 0);
}

Extents states_of(const Header& header) { return {header.spins, std::ssize(header.kpoints), header.bands}; }

/// Returns energies or occupations.
template <std::vector<double> Header::*member>
Array get_states(const Header& header) {
  std::vector<double> values = header.*member;
  if (std::ssize(values) != product_of(states_of(header))) {
    throw BadArgument(
        "the header has energies and occupations of another number of spins, k-points or bands: assign them again");
  }
  return array_from(std::move(values), states_of(header));
}
template <std::vector<double> Header::*member>
void set_states(Header& header, const Array& values) {
  const auto given = span_of<const double>(values, "energies or occupations", states_of(header));
  (header.*member).assign(given.begin(), given.end());
}

/// A property with a fixed set of names.
template <class Enum, class Words>
void bind_word(nb::class_<Header>& header, const char* name, Enum Header::*member, const Words& words,
               const char* doc) {
  header.def_prop_rw(
      name, [member, &words](const Header& self) { return word_of(self.*member, words); },
      [member, name, &words](Header& self, const std::string& word) { self.*member = named<Enum>(name, word, words); },
      doc);
}

nb::str header_text(const Header& h) {
  const char* spins = h.spins == 2 ? " of 2 spins" : h.spinor == 2 ? " of spinors" : "";
  return text("<seiche.OrbitalHeader, {}: {} k-points, {} bands{}, grid {}>", h.format, h.kpoints.size(), h.bands,
              spins, tuple_of(h.grid));
}

template <auto member>
Array of_kpoints(const Header& header) {
  return array_of(header.kpoints, member);
}

void bind_states(nb::class_<Header>& header) {
  header.def_prop_ro("kpoints", &of_kpoints<&KPoint::k>, "k-points in units of b1, b2, b3, a new array (k, 3).")
      .def_prop_ro("weights", &of_kpoints<&KPoint::weight>,
                   "Weights of the k-points, which sum to 1, a new array (k,).")
      .def_prop_ro("plane_waves", &of_kpoints<&KPoint::plane_waves>,
                   "Number of plane waves of each k-point, a new int64 array (k,).")
      .def("set_kpoints", &set_kpoints, "kpoints"_a, "weights"_a, "plane_waves"_a,
           "Replaces the k-points. Energies and occupations become zero arrays of the new shape. Local.")
      .def_prop_rw(
          "energies", &get_states<&Header::energies>, &set_states<&Header::energies>,
          "Energies, hartree, a new array (spin, k, band). Assign them again after a change of `spins` or `bands`.")
      .def_prop_rw("occupations", &get_states<&Header::occupations>, &set_states<&Header::occupations>,
                   "Occupations of spin states, 0 to 1, a new array (spin, k, band).")
      .def_rw("spins", &Header::spins, "Number of sets of bands, 1 or 2.")
      .def_rw("spinor", &Header::spinor, "Components of one wavefunction, 1 or 2.")
      .def_rw("bands", &Header::bands, "Number of bands of each spin.")
      .def_rw("half_sphere", &Header::half_sphere, "Whether one of each pair G, -G is stored.")
      .def_prop_ro("degeneracy", &Header::degeneracy, "Number of electrons in a fully occupied band of weight 1.");
}

void bind_rest(nb::class_<Header>& header) {
  header.def_rw("format", &Header::format, "Format of the file, e.g. \"Quantum ESPRESSO .save (dat)\".")
      .def_rw("path", &Header::path, "Path of the file.")
      .def_rw("crystal", &Header::crystal, "The Crystal.")
      .def_prop_rw(
          "grid", [](const Header& self) { return tuple_of(self.grid); },
          [](Header& self, const Shape& shape) { self.grid = grid_shape_of(shape); },
          "FFT grid of the density (nx, ny, nz).")
      .def_rw("cutoff", &Header::cutoff, "Wavefunction cutoff, hartree.")
      .def_rw("density_cutoff", &Header::density_cutoff, "Density cutoff, hartree.")
      .def_rw("averaged", &Header::averaged, "Whether the code averages its density over the symmetry operations.")
      .def_rw("density_components", &Header::density_components,
              "Components of the density stored with the wavefunctions; 0: none.")
      .def_rw("electrons", &Header::electrons, "Number of electrons in the cell.")
      .def_rw("weighted", &Header::weighted, "False: the file has no weights of k-points; all weights are equal.")
      .def_rw("mesh", &Header::mesh, "k-point mesh that was reduced by symmetry; 0: unknown.")
      .def_rw("mesh_shift", &Header::mesh_shift, "Shift of the mesh from k = 0, in steps of the mesh.")
      .def_rw("total_energy", &Header::total_energy, nb::arg().none(), "Total energy, hartree, or None.")
      .def_rw("fermi_energy", &Header::fermi_energy, nb::arg().none(), "Fermi energy, hartree, or None.")
      .def_rw("fermi_energy_down", &Header::fermi_energy_down, nb::arg().none(),
              "Fermi energy of spin down, if it differs from that of spin up in `fermi_energy`; hartree, or None.")
      .def_rw("on_path", &Header::on_path, "Whether the k-points are those of a band structure.");
  bind_word(header, "norm_conserving", &Header::norm_conserving, kinds_of_norm,
            "Whether the bands contain the whole density: yes, no or unknown.");
  bind_word(header, "magnetism", &Header::magnetism, magnetisms, "Magnetization: none, collinear or vector.");
}

}  // namespace

void bind_crystal(nb::module_& module) {
  bind_operation(module);
  nb::class_<Crystal>(module, "Crystal", doc_of_crystal)
      .def("__init__", init(&make_crystal), "lattice"_a, "symbols"_a, "positions"_a,
           "operations"_a = std::vector<SymmetryOperation>{})
      .def_prop_ro("lattice", &as_array<&Crystal::lattice>, "a1, a2, a3 as rows, bohr, a new array (3, 3).")
      .def_prop_ro("reciprocal", &as_array<&Crystal::reciprocal>,
                   "b1, b2, b3 as rows with a_i . b_j = 2 pi delta_ij, bohr^-1, a new array (3, 3).")
      .def_prop_ro("symbols", &symbols_of, "Element symbols of the atoms.")
      .def_prop_ro(
          "positions", [](const Crystal& self) { return array_of(self.atoms, &Atom::position); },
          "Cartesian positions of the atoms, bohr, a new array (atoms, 3).")
      .def_prop_ro("volume", &Crystal::volume, "Volume of the cell, bohr^3.")
      .def_rw("operations", &Crystal::operations, "Symmetry operations of the density, identity first; empty: unknown.")
      .def(
          "find_operations", [](const Crystal& self, double tolerance) { return find_operations(self, tolerance); },
          "tolerance"_a = 1e-5,
          "Finds the symmetry operations of lattice and atoms within `tolerance` (bohr) with spglib. Local.")
      .def(
          "to_ase", [](nb::handle self) { return made_by("to_ase", self); },
          "Returns an ase.Atoms, in angstrom. Requires the package ase. Local.")
      .def(
          "to_pymatgen", [](nb::handle self) { return made_by("to_pymatgen", self); },
          "Returns a pymatgen Structure, in angstrom. Requires pymatgen. Local.")
      .def("__repr__", &crystal_text);
  module.def(
      "fft_grid",
      [](const Crystal& crystal, double density_cutoff) { return tuple_of(fft_grid(crystal, density_cutoff)); },
      "crystal"_a, "density_cutoff"_a,
      R"(Returns the smallest FFT grid (nx, ny, nz) with factors 2, 3 and 5 for a density cutoff (hartree). Local.

If possible, the translations of the crystal's operations map grid points to grid points.)");
}

void bind_header(nb::module_& module) {
  nb::class_<Header> header(module, "OrbitalHeader",
                            R"(Metadata of a set of orbitals: the contents of a file except the coefficients.

Units are hartree and bohr. Properties return new arrays; assign to change them. Set `spins` and `bands` before
set_kpoints().)");
  header.def(nb::init<>());
  header.def(nb::init<const Header&>(), "other"_a, "Creates a copy.");
  bind_states(header);
  bind_rest(header);
  header.def("__repr__", &header_text);
}

}  // namespace seiche::python
