// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cuts through quantities on a grid, and the planes that are drawn.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <seiche/cut.hpp>

#include "arrays.hpp"
#include "communicators.hpp"
#include "errors.hpp"
#include "nouns.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

Array vector_of(const Vector3& vector) { return array_from(std::vector<double>(vector.begin(), vector.end()), {3}); }

template <class Made, class Make>
Made together_on(const Density& density, const Make& make) {
  Made made;
  collective(
      density.comm, [] {}, [&] { made = make(); });
  return made;
}

void bind_planes(nb::module_& module) {
  nb::class_<Plane>(module, "Plane", "A square piece of a plane, cartesian, bohr.")
      .def_prop_ro(
          "centre", [](const Plane& self) { return vector_of(self.centre); }, "Its middle.")
      .def_prop_ro(
          "right", [](const Plane& self) { return vector_of(self.right); }, "A unit vector.")
      .def_prop_ro(
          "up", [](const Plane& self) { return vector_of(self.up); }, "A unit vector, perpendicular to `right`.")
      .def_rw("side", &Plane::side, "How wide and high it is.")
      .def_ro("name", &Plane::name, "Which plane it is, in words.");
  module.def("plane_of_bonds", &plane_of_bonds, "crystal"_a,
             "Through the most tightly bound atom and its two nearest neighbours. Local.");
  module.def("plane_of_atoms", &plane_of_atoms, "crystal"_a, "atoms"_a,
             "Through three atoms, counted from 0, and their images nearest to the first. Local.");
  module.def(
      "plane_of_indices",
      [](const Crystal& crystal, const std::array<int, 3>& hkl, double distance) {
        return plane_of_indices(crystal, {hkl[0], hkl[1], hkl[2]}, distance);
      },
      "crystal"_a, "hkl"_a, "distance"_a = 0.0, "The lattice plane (hkl) at a distance (bohr) from the origin. Local.");
  nb::class_<PlaneValues>(module, "PlaneValues", "One component of a quantity on a plane.")
      .def_prop_ro(
          "values",
          [](const PlaneValues& self) {
            return array_from(std::vector<double>(self.values), {self.pixels, self.pixels});
          },
          "An array (row, column), rows from the top; points are in the middle of pixels. A copy.")
      .def_ro("largest_anywhere", &PlaneValues::largest_anywhere, "The largest |value| on the whole grid.")
      .def_prop_ro("is_noise", &PlaneValues::is_noise,
                   "Whether all is below 1e-4 of that, where the ripples of a cut-off show.");
  module.def(
      "plane_values",
      [](const Density& density, const Plane& plane, int pixels, int component) {
        return together_on<PlaneValues>(density, [&] { return plane_values(density, plane, pixels, component); });
      },
      "density"_a, "plane"_a, "pixels"_a = 300, "component"_a = 0,
      "A component on a plane, on every rank, within 1e-5 of the largest value. Collective.");
}

}  // namespace

void bind_cut(nb::module_& module) {
  bind_planes(module);
  module.def(
      "line_cut",
      [](const Density& values, const Vector3& start, const Vector3& end, int points) {
        return together_on<Table>(values, [&] { return line_cut(values, start, end, points); });
      },
      "values"_a, "start"_a, "end"_a, "points"_a = 101,
      R"(Values from `start` to `end` (units of the lattice), as a Table: distance_bohr, x, y, z, a column for each component. Collective.

Between points of the grid they are those of its waves.)");
  module.def(
      "height_cut",
      [](const Density& values, int axis, double height) {
        return together_on<Table>(values, [&] { return height_cut(values, axis, height); });
      },
      "values"_a, "axis"_a, "height"_a,
      R"(Values so high (bohr) above the plane of two lattice vectors, `axis` (0, 1, 2) being the third, as a Table. Collective.

A row for each point of the grid along the two, the first fastest: x_bohr, y_bohr, a column for each component.)");
}

}  // namespace seiche::python
