// SPDX-License-Identifier: BSD-3-Clause
/// \file  Crystals and their symmetry operations.
#include "nouns.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <map>
#include <seiche/crystal.hpp>

#include "arrays.hpp"
#include "errors.hpp"
#include "options.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;
using Matrix3 = std::array<Vector3, 3>;

Array array_of_matrix(const Matrix3& rows) {
  std::vector<double> values;
  for (const Vector3& row : rows) values.insert(values.end(), row.begin(), row.end());
  return array_from(std::move(values), {3, 3});
}

std::vector<Atom> atoms_of(const std::vector<std::string>& symbols, const std::vector<Vector3>& positions) {
  if (symbols.size() != positions.size()) {
    throw Error(Fault::bad_argument, "python: " + std::to_string(symbols.size()) + " symbols and " +
                                         std::to_string(positions.size()) + " positions; each atom needs both");
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

Array positions_of(const Crystal& crystal) {
  std::vector<double> values;
  for (const Atom& atom : crystal.atoms) values.insert(values.end(), atom.position.begin(), atom.position.end());
  return array_from(std::move(values), {static_cast<std::int64_t>(crystal.atoms.size()), 3});
}

std::string text_of(const Crystal& crystal) {
  std::map<std::string, int> counts;
  for (const Atom& atom : crystal.atoms) ++counts[atom.symbol];
  std::string formula;
  for (const auto& [symbol, count] : counts) formula += symbol + (count > 1 ? std::to_string(count) : "");
  return "<seiche.Crystal " + formula + ", " + std::to_string(crystal.volume()) + " bohr^3, " +
         std::to_string(crystal.operations.size()) + " operations>";
}

/// Other packages' own objects, made in Python: see foreign.py.
nb::object made_by(const char* function, nb::handle self) {
  return nb::module_::import_("seiche.foreign").attr(function)(self);
}

constexpr const char* doc_of_operation = R"({R|t}: x, in units of the lattice vectors, goes to R x + t.

Parameters
----------
rotation : array_like of int, (3, 3)
translation : array_like, (3,)
time_reversal : bool
    Whether time reversal follows.)";

nb::object operation_text(nb::handle self) {
  return nb::str("<seiche.SymmetryOperation {} + {}{}>")
      .attr("format")(self.attr("rotation").attr("tolist")(), self.attr("translation").attr("tolist")(),
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

void bind_operation(nb::module_& module) {
  using Rotation = std::array<std::array<int, 3>, 3>;
  nb::class_<SymmetryOperation>(module, "SymmetryOperation", doc_of_operation)
      .def(
          "__init__",
          [](SymmetryOperation* self, const Rotation& rotation, const Vector3& translation, bool time_reversal) {
            new (self) SymmetryOperation{rotation, translation, time_reversal};
          },
          "rotation"_a, "translation"_a = Vector3{}, "time_reversal"_a = false)
      .def_prop_ro(
          "rotation",
          [](const SymmetryOperation& self) {
            std::vector<int> values;
            for (const auto& row : self.rotation) values.insert(values.end(), row.begin(), row.end());
            return array_from(std::move(values), {3, 3});
          },
          "The rows of R, an int32 array (3, 3).")
      .def_prop_ro(
          "translation",
          [](const SymmetryOperation& self) {
            return array_from(std::vector<double>(self.translation.begin(), self.translation.end()), {3});
          },
          "t, in units of the lattice vectors, (3,).")
      .def_ro("time_reversal", &SymmetryOperation::time_reversal, "Whether time reversal follows.")
      .def(
          "image_of", [](const SymmetryOperation& self, const Vector3& k) { return image_of(self, k); }, "k"_a,
          "The k-point to which Bloch waves of `k` go: R^-T k, with time reversal -R^-T k. Local.")
      .def(
          "__matmul__",
          [](const SymmetryOperation& second, const SymmetryOperation& first) { return product(second, first); },
          "first"_a, "This operation after `first`.")
      .def(
          "inverse", [](const SymmetryOperation& self) { return inverse(self); }, "{R^-1 | -R^-1 t}. Local.")
      .def("__repr__", &operation_text, nb::sig("def __repr__(self) -> str"));
}

}  // namespace

void bind_crystal(nb::module_& module) {
  bind_operation(module);
  nb::class_<Crystal>(module, "Crystal", doc_of_crystal)
      .def(
          "__init__",
          [](Crystal* self, const Matrix3& lattice, const std::vector<std::string>& symbols,
             const std::vector<Vector3>& positions, const std::vector<SymmetryOperation>& operations) {
            new (self) Crystal{lattice, atoms_of(symbols, positions), operations};
          },
          "lattice"_a, "symbols"_a, "positions"_a, "operations"_a = std::vector<SymmetryOperation>{})
      .def_prop_ro(
          "lattice", [](const Crystal& self) { return array_of_matrix(self.lattice); },
          "a1, a2, a3 in rows, bohr: a new array (3, 3).")
      .def_prop_ro(
          "reciprocal", [](const Crystal& self) { return array_of_matrix(self.reciprocal()); },
          "b1, b2, b3 in rows with a_i . b_j = 2 pi delta_ij, bohr^-1: a new array (3, 3).")
      .def_prop_ro("symbols", &symbols_of, "Elements of the atoms.")
      .def_prop_ro("positions", &positions_of, "Of the atoms, cartesian, bohr: a new array (atoms, 3).")
      .def_prop_ro("volume", &Crystal::volume, "bohr^3.")
      .def_rw("operations", &Crystal::operations, "Those the density has; the identity first; none: not known.")
      .def(
          "find_operations", [](const Crystal& self, double tolerance) { return find_operations(self, tolerance); },
          "tolerance"_a = 1e-5,
          "The operations that keep lattice and atoms within `tolerance` (bohr), by spglib. Local.")
      .def(
          "to_ase", [](nb::handle self) { return made_by("to_ase", self); },
          "An ase.Atoms, in angstrom; needs the package ase. Local.", nb::sig("def to_ase(self) -> typing.Any"))
      .def(
          "to_pymatgen", [](nb::handle self) { return made_by("to_pymatgen", self); },
          "A pymatgen Structure, in angstrom; needs pymatgen. Local.", nb::sig("def to_pymatgen(self) -> typing.Any"))
      .def("__repr__", [](const Crystal& self) { return text_of(self); });
  module.def(
      "fft_grid",
      [](const Crystal& crystal, double density_cutoff) { return tuple_of(fft_grid(crystal, density_cutoff)); },
      "crystal"_a, "density_cutoff"_a,
      nb::sig("def fft_grid(crystal: Crystal, density_cutoff: float) -> tuple[int, int, int]"),
      R"(Points (nx, ny, nz) for a density with waves within the cut-off (hartree): factors 2, 3 and 5 only. Local.

The operations of the crystal take points to points, where their translations are simple fractions.)");
}

}  // namespace seiche::python
