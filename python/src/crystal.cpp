// SPDX-License-Identifier: BSD-3-Clause
/// \file  Crystals and their symmetry operations.
#include <nanobind/stl/array.h>
#include <seiche/crystal.hpp>

#include <map>

#include "bind.hpp"

namespace seiche::python {

namespace {

std::vector<Atom> atoms_of(const std::vector<std::string>& symbols, const std::vector<Vector3>& positions) {
  if (symbols.size() != positions.size()) {
    throw BadArgument(std::to_string(symbols.size()) + " symbols and " + std::to_string(positions.size()) +
                      " positions; each atom needs both");
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

nb::str repr_of(const Crystal& crystal) {
  std::map<std::string, int> counts;
  for (const Atom& atom : crystal.atoms) ++counts[atom.symbol];
  std::string formula;
  for (const auto& [symbol, count] : counts) formula += symbol + (count > 1 ? std::to_string(count) : "");
  return text("<seiche.Crystal {}, {:.6f} bohr^3, {} operations>", formula, crystal.volume(),
              crystal.operations.size());
}

/// Other packages' own objects, made in Python: see foreign.py.
using Foreign = Argument<"typing.Any">;
Foreign made_by(const char* function, nb::handle self) {
  return nb::borrow<Foreign>(nb::module_::import_("seiche.foreign").attr(function)(self));
}

constexpr const char* doc_of_operation = R"({R|t}: x, in units of the lattice vectors, goes to R x + t.

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
    a1, a2, a3 in rows, bohr.
symbols : sequence of str
    Of the elements.
positions : array_like, (atoms, 3)
    Cartesian, bohr.
operations : sequence of SymmetryOperation
    The identity first; none: not known.)";

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
      .def_prop_ro(
          "rotation", [](const Operation& self) { return array_of(self.rotation); },
          "The rows of R, an int32 array (3, 3).")
      .def_prop_ro(
          "translation", [](const Operation& self) { return array_of(self.translation); },
          "t, in units of the lattice vectors, (3,).")
      .def_ro("time_reversal", &Operation::time_reversal, "Whether time reversal follows.")
      .def(
          "image_of", [](const Operation& self, const Vector3& k) { return image_of(self, k); }, "k"_a,
          "The k-point to which Bloch waves of `k` go: R^-T k, with time reversal -R^-T k. Local.")
      .def(
          "__matmul__", [](const Operation& second, const Operation& first) { return product(second, first); },
          "first"_a, "This operation after `first`.")
      .def(
          "inverse", [](const Operation& self) { return inverse(self); }, "{R^-1 | -R^-1 t}. Local.")
      .def("__repr__", &operation_text);
}

}  // namespace

void bind_crystal(nb::module_& module) {
  bind_operation(module);
  nb::class_<Crystal>(module, "Crystal", doc_of_crystal)
      .def("__init__", init(&make_crystal), "lattice"_a, "symbols"_a, "positions"_a,
           "operations"_a = std::vector<SymmetryOperation>{})
      .def_prop_ro(
          "lattice", [](const Crystal& self) { return array_of(self.lattice); },
          "a1, a2, a3 in rows, bohr: a new array (3, 3).")
      .def_prop_ro(
          "reciprocal", [](const Crystal& self) { return array_of(self.reciprocal()); },
          "b1, b2, b3 in rows with a_i . b_j = 2 pi delta_ij, bohr^-1: a new array (3, 3).")
      .def_prop_ro("symbols", &symbols_of, "Elements of the atoms.")
      .def_prop_ro(
          "positions", [](const Crystal& self) { return array_of(self.atoms, &Atom::position); },
          "Of the atoms, cartesian, bohr: a new array (atoms, 3).")
      .def_prop_ro("volume", &Crystal::volume, "bohr^3.")
      .def_rw("operations", &Crystal::operations, "Those the density has; the identity first; none: not known.")
      .def(
          "find_operations", [](const Crystal& self, double tolerance) { return find_operations(self, tolerance); },
          "tolerance"_a = 1e-5,
          "The operations that keep lattice and atoms within `tolerance` (bohr), by spglib. Local.")
      .def(
          "to_ase", [](nb::handle self) { return made_by("to_ase", self); },
          "An ase.Atoms, in angstrom; needs the package ase. Local.")
      .def(
          "to_pymatgen", [](nb::handle self) { return made_by("to_pymatgen", self); },
          "A pymatgen Structure, in angstrom; needs pymatgen. Local.")
      .def("__repr__", &repr_of);
  module.def(
      "fft_grid",
      [](const Crystal& crystal, double density_cutoff) { return tuple_of(fft_grid(crystal, density_cutoff)); },
      "crystal"_a, "density_cutoff"_a,
      R"(Points (nx, ny, nz) for a density with waves within the cut-off (hartree): factors 2, 3 and 5 only. Local.

The operations of the crystal take points to points, where their translations are simple fractions.)");
}

}  // namespace seiche::python
